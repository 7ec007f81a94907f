import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import t from 'tap'

const read = (name: string) =>
  readFileSync(fileURLToPath(new URL(`../../../${name}`, import.meta.url)), 'utf8')

const { dependencies, optionalDependencies, devDependencies } = JSON.parse(read('package.json')) as Record<
  'dependencies' | 'optionalDependencies' | 'devDependencies',
  Readonly<Record<string, string>>
>

/** The rows of the dependency table in ARCHITECTURE.md: names, the kind in brackets, and the purpose. */
const rows = [
  ...(/^## Dependencies.*?(?=^## )/ms.exec(read('ARCHITECTURE.md'))?.[0] ?? '').matchAll(
    /^\| ([^|(]+?)(?: \((optional|development)\))? \| (.+) \|$/gm,
  ),
].filter(([, names]) => names !== 'package' && !names?.startsWith('-'))

const named = (kind: string | undefined) =>
  rows
    .filter((row) => row[2] === kind)
    .flatMap(([, names = '']) => names.split(', '))
    .sort()

t.test('ARCHITECTURE.md lists exactly the dependencies, each with its purpose', async (t) => {
  t.same(named(undefined), Object.keys(dependencies).sort())
  t.same(named('optional'), Object.keys(optionalDependencies).sort())
  t.same(named('development'), Object.keys(devDependencies).sort())
  for (const [, names, , job] of rows) t.ok(job, `${names} has a job`)
})
