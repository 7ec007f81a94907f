import { readFileSync } from 'node:fs'
import t from 'tap'

interface LockedPackage {
  readonly version?: string
  readonly resolved?: string
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

const { packages } = JSON.parse(
  readFileSync(new URL('../../../package-lock.json', import.meta.url), 'utf8'),
) as { readonly packages: Readonly<Record<string, LockedPackage>> }

/** The entry that a package at `path` gets when it asks for `name`: the nearest one upwards, as Node.js looks. */
function locked(path: string, name: string): LockedPackage | undefined {
  for (let folder = path; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))) {
    const entry = packages[`${folder === '' ? '' : `${folder}/`}node_modules/${name}`]
    if (entry !== undefined) return entry
    if (folder === '') return undefined
  }
}

t.test('the lock file has every package of every platform: npm ci refuses one that has not', async (t) => {
  for (const [path, { dependencies, optionalDependencies }] of Object.entries(packages)) {
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      t.match(locked(path, name)?.version, /^\d/, `${path || 'this project'} needs ${name}`)
    }
  }
})

t.test('the lock file names no registry', async (t) => {
  for (const [path, { resolved }] of Object.entries(packages)) t.equal(resolved, undefined, path)
})
