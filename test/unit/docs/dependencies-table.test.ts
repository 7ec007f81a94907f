import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import t from 'tap'

const read = (name: string) =>
  readFileSync(fileURLToPath(new URL(`../../../${name}`, import.meta.url)), 'utf8')

interface Manifest {
  readonly workspaces: readonly string[]
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
  readonly devDependencies: Readonly<Record<string, string>>
}
const manifest = (folder: string): Manifest => JSON.parse(read(`${folder}/package.json`))

/** The packages of others that a package installs. */
const installedBy = (folder: string) => {
  const { dependencies, optionalDependencies } = manifest(folder)
  return Object.keys({ ...dependencies, ...optionalDependencies }).filter(
    (name) => !/^@?concordat\b/.test(name),
  )
}

/** The rows of the dependency table in ARCHITECTURE.md: names, the kind in brackets, and the purpose. */
const rows = [
  ...(/^## Dependencies.*?(?=^## )/ms.exec(read('ARCHITECTURE.md'))?.[0] ?? '').matchAll(
    /^\| ([^|(]+?)(?: \((gateway|development)\))? \| (.+) \|$/gm,
  ),
].filter(([, names]) => names !== 'package' && !names?.startsWith('-'))

const named = (kind: string | undefined) =>
  rows
    .filter((row) => row[2] === kind)
    .flatMap(([, names = '']) => names.split(', '))
    .sort()

t.test('ARCHITECTURE.md lists exactly the dependencies, each with its purpose', async (t) => {
  const { workspaces, devDependencies } = manifest('.')
  const toolkit = ['.', ...workspaces.filter((folder) => folder !== 'src/service/gateway')].flatMap(
    installedBy,
  )
  const gateway = installedBy('src/service/gateway').filter((name) => !toolkit.includes(name))
  const development = Object.keys(devDependencies).filter(
    (name) => !/^@?concordat\b/.test(name) && !gateway.includes(name),
  )
  t.same(named(undefined), toolkit.sort())
  t.same(named('gateway'), gateway.sort())
  t.same(named('development'), development.sort())
  for (const [, names, , job] of rows) t.ok(job, `${names} has a job`)
})

t.test('the packages have one version, and depend on each other in exactly that version', async (t) => {
  const { workspaces, ...root } = JSON.parse(read('package.json'))
  for (const folder of ['.', ...workspaces]) {
    const { version, dependencies, peerDependencies } = JSON.parse(read(`${folder}/package.json`))
    t.equal(version, root.version, folder)
    for (const [name, wanted] of Object.entries({ ...dependencies, ...peerDependencies })) {
      if (/^@?concordat\b/.test(name)) t.equal(wanted, root.version, `${folder}: ${name}`)
    }
  }
})
