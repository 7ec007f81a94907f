import { readFileSync } from 'node:fs'
import t from 'tap'

interface LockedPackage {
  readonly version?: string
  readonly resolved?: string
  /** True for a package of this repository; `resolved` is its folder. */
  readonly link?: boolean
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

const { packages } = JSON.parse(
  readFileSync(new URL('../../../package-lock.json', import.meta.url), 'utf8'),
) as { readonly packages: Readonly<Record<string, LockedPackage>> }

/** The entry that a package at `path` gets for `name`: the nearest one upwards, as in Node.js. */
function locked(path: string, name: string): LockedPackage | undefined {
  for (let folder = path; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))) {
    const entry = packages[`${folder === '' ? '' : `${folder}/`}node_modules/${name}`]
    if (entry !== undefined) return entry.link ? packages[entry.resolved ?? ''] : entry
    if (folder === '') return undefined
  }
}

t.test('the lock file lists every package of every platform, so that npm ci accepts it', async (t) => {
  const missing = Object.entries(packages).flatMap(([path, { dependencies, optionalDependencies }]) =>
    Object.keys({ ...dependencies, ...optionalDependencies })
      .filter((name) => !/^\d/.test(locked(path, name)?.version ?? ''))
      .map((name) => `${path || 'this project'} needs ${name}`),
  )
  t.same(missing, [])
})

t.test('the lock file contains no registry host', async (t) => {
  t.ok(Object.keys(packages).length > 100, 'the packages were found')
  const named = Object.entries(packages).filter(([, { resolved, link }]) => resolved !== undefined && !link)
  t.same(named, [])
})

t.test(
  'only development dependencies have overrides, because installations of the package ignore them',
  async (t) => {
    const manifest = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'))
    const overridden = Object.keys(manifest.overrides ?? {})
    t.strictSame(
      overridden.filter((name) => !(name in manifest.devDependencies)),
      [],
    )
  },
)
