import { readFileSync } from 'node:fs'
import t from 'tap'
import { nodeVersions } from '../../../bin/install-node.js'
import { matrixTable } from '../../../lab/matrix/matrix-table.js'
import { nameOf } from '../../../lab/matrix/row.js'
import { rows } from '../../../lab/matrix/rows.js'
import { newestTypescript, typescriptVersions } from '../../../lab/matrix/typescript-rows.js'

const read = (name: string) => readFileSync(new URL(`../../../${name}`, import.meta.url), 'utf8')

t.test('docs/integrator.md says of every tool what the matrix of a release expects', async (t) => {
  const [table] = /^\| tool \| form \| result \|\n(?:\|.*\n)+/m.exec(read('docs/integrator.md')) ?? []
  t.equal(table, matrixTable(rows))
})

t.test('the matrix has every tool once', async (t) => {
  const names = rows.map(nameOf)
  t.equal(new Set(names).size, names.length)
  const tools = new Map(rows.map(({ tool }) => [tool, rows.filter((row) => row.tool === tool)]))
  const versionsOf = (tool: string) => [...new Set((tools.get(tool) ?? []).map(({ version }) => version))]
  t.same(versionsOf('Node.js'), nodeVersions)
  t.same(versionsOf('TypeScript'), typescriptVersions)
  t.match(JSON.parse(read('package.json')).devDependencies.typescript, `^${newestTypescript}.`)
  t.same(versionsOf('Jest'), ['29', '30'])
  const others = [
    'ts-jest 29 with Jest',
    'Vitest',
    'Next',
    'esbuild',
    'Vite',
    'webpack',
    'Deno',
    'Bun',
    'workerd',
  ]
  t.same([...tools.keys()].sort(), ['Node.js', 'TypeScript', 'Jest', ...others].sort())
})

t.test('the settings that the table names are those that a row is run with', async (t) => {
  for (const row of rows) {
    const { expected, files, command } = row
    const used = [command, ...Object.values(files)].join('\n')
    t.ok(expected.output.length > 0, `${nameOf(row)} expects an output`)
    if (expected.kind === 'works')
      for (const setting of expected.settings ?? [])
        t.ok(used.includes(setting), `${nameOf(row)}: ${setting}`)
    else t.ok(expected.reason && expected.instead, `${nameOf(row)} says why not, and what helps`)
  }
})
