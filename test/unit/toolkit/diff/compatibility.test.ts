import { readFile } from 'node:fs/promises'
import t from 'tap'
import { contractChangeKinds, extensionChangeKinds } from '../../../../src/toolkit/diff/change-kinds.js'
import { methodRows, schemaRows } from './compatibility/rows.js'
import type { Letters } from './told.js'

const guide = await readFile(new URL('../../../../docs/compatibility.md', import.meta.url), 'utf8')

const parties: Readonly<Record<Letters, string>> = { '': '–', C: 'clients', S: 'servers', CS: 'both' }
const line = (...cells: readonly string[]) => `| ${cells.join(' | ')} |`

/** The tables of docs/compatibility.md, made of the rows that compatibility.slow.test.ts proves. */
const tables = [
  [
    line('change of a schema', 'kind', 'in parameters', 'in results'),
    '|---|---|---|---|',
    ...schemaRows.map(({ change, kind, params, results }) =>
      line(change, `\`${kind}\``, parties[params], parties[results]),
    ),
  ],
  [
    line('change', 'kind', 'breaks'),
    '|---|---|---|',
    ...methodRows.map(({ change, kind, breaks }) => line(change, `\`${kind}\``, parties[breaks])),
  ],
]

t.test('docs/compatibility.md has exactly the proven rows', async (t) => {
  const found = guide.split('\n\n').filter((block) => block.startsWith('| change'))
  t.equal(found.length, tables.length)
  for (const [at, table] of tables.entries()) t.same(found[at]?.trim().split('\n'), table)
})

t.test('each kind of change that OpenRPC and JSON Schema define has a row', async (t) => {
  const kinds = new Set<string>([...schemaRows, ...methodRows].map(({ kind }) => kind))
  t.same(
    contractChangeKinds.filter((kind) => !kinds.has(kind)),
    [],
  )
  t.same(
    [...kinds].filter((kind) => !contractChangeKinds.some((known) => known === kind)),
    [],
  )
})

t.test('the kinds of extensions are listed', async (t) => {
  const [, list = ''] = guide.split('## Extensions')
  const named = [...list.matchAll(/^- `([a-z-]+)`/gm)].map(([, kind = '']) => kind)
  t.same(named.toSorted(), [...extensionChangeKinds].sort())
})
