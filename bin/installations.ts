import { execFile } from 'node:child_process'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** The weight of an installation: its packages, and all of their files in megabytes (10^6 bytes). */
export interface Weight {
  readonly packages: number
  readonly megabytes: number
}

/** What a kind of user installs, and the most that it may weigh. */
export interface Installation {
  readonly names: readonly string[]
  readonly most?: Weight
}

/** The installations of each kind of user, as docs/packages.md lists them. */
export const installations = {
  'JSON-RPC itself': { names: ['@concordat/rpc'] },
  'runtime of a generated client': { names: ['@concordat/client'] },
  'client of this service': {
    names: ['@concordat/node-access'],
    most: { packages: 4, megabytes: 1.3 },
  },
  'client of this service, with contracts': {
    names: ['@concordat/node-access', 'ox@^0.14.67'],
    most: { packages: 14, megabytes: 20 },
  },
  'own server': { names: ['@concordat/server'] },
  'own server on Fastify': { names: ['@concordat/server', 'fastify', 'light-my-request@~6.6.0'] },
  'toolkit: generate, mock, conform': { names: ['concordat'], most: { packages: 60, megabytes: 30 } },
  'this service': { names: ['@concordat/gateway'] },
} as const satisfies Readonly<Record<string, Installation>>

const MEGABYTE = 1_000_000

/**
 * Weighs the installed packages of a project.
 * @param home the folder with `node_modules`
 */
export async function weigh(home: string): Promise<Weight> {
  const modules = join(home, 'node_modules')
  const { packages } = JSON.parse(await readFile(join(modules, '.package-lock.json'), 'utf8'))
  const entries = await readdir(modules, { recursive: true, withFileTypes: true })
  const files = entries.filter((one) => one.isFile())
  const sizes = await Promise.all(files.map(async (one) => (await stat(join(one.parentPath, one.name))).size))
  const bytes = sizes.reduce((sum, size) => sum + size, 0)
  return { packages: Object.keys(packages).length, megabytes: bytes / MEGABYTE }
}

/** Returns what is heavier than allowed, in a sentence each. */
export function excessOf(users: string, { packages, megabytes }: Weight, most?: Weight): readonly string[] {
  if (most === undefined) return []
  const tooMany = `${users}: ${packages} packages are installed; at most ${most.packages} are allowed`
  const tooLarge = `${users}: the installation has ${megabytes.toFixed(2)} MB; at most ${most.megabytes} are allowed`
  return [...(packages > most.packages ? [tooMany] : []), ...(megabytes > most.megabytes ? [tooLarge] : [])]
}

/** A software bill of materials (CycloneDX 1.5): the members that are read. */
export interface Bill {
  /** What the bill is of. */
  readonly metadata: {
    readonly component: { readonly 'bom-ref': string; readonly name: string; readonly version: string }
  }
  readonly components: readonly {
    readonly name: string
    readonly version: string
    readonly licenses?: readonly BillLicence[]
  }[]
}

/** The licence of a component: an SPDX id, an SPDX expression, or a text of its own. */
interface BillLicence {
  readonly license?: { readonly id?: string; readonly name?: string }
  readonly expression?: string
}

/** The largest bill of materials, in bytes. */
const BILL_BYTES = 50_000_000

/**
 * Makes the bill of materials of an installation. npm names it after the project in which it is installed, and this
 * function after its users.
 * @param home the folder of a project with a name and a version
 * @param version of the installed packages of this project
 */
export async function billOf(home: string, users: string, version: string): Promise<Bill> {
  const options = { cwd: home, maxBuffer: BILL_BYTES }
  const { stdout } = await run('npm', ['sbom', '--sbom-format', 'cyclonedx'], options)
  // The paths of the archives are those of the machine that makes the release.
  const bill: Bill = JSON.parse(stdout.replaceAll(/"file:[^"]*\/([^"/]+)"/g, '"$1"'))
  const { 'bom-ref': ref } = bill.metadata.component
  const component = { 'bom-ref': ref, type: 'application', name: `Concordat: ${users}`, version }
  return { ...bill, metadata: { ...bill.metadata, component } }
}

/** Licences (SPDX) of packages that ours may install: they ask for no more than their notice. */
const allowedLicences: ReadonlySet<string> = new Set([
  ...[
    '0BSD',
    'Apache-2.0',
    'BSD-2-Clause',
    'BSD-3-Clause',
    'BlueOak-1.0.0',
    'CC0-1.0',
    'ISC',
    'MIT',
    'MIT-0',
  ],
  // Of the typeface in @concordat/gateway.
  ...['OFL-1.1', 'PSF-2.0', 'Python-2.0', 'Unlicense'],
])

/**
 * Packages that state no licence. `@open-rpc/spec-types` has the types of `@open-rpc/spec` (Apache-2.0), which it depends
 * on, and comes with schema-utils-js (Apache-2.0) of the same project.
 */
const withoutStatement: ReadonlySet<string> = new Set(['@open-rpc/spec-types'])

/** Returns the components whose licence is unknown or not allowed, in a sentence each. */
export const licenceProblems = ({ components }: Pick<Bill, 'components'>): readonly string[] =>
  components.flatMap(({ name, version, licenses = [] }) => {
    const names = licenses.map(({ license, expression }) => expression ?? license?.id ?? license?.name ?? '')
    if (names.length === 0 && withoutStatement.has(name)) return []
    // A choice of licences needs only one that is allowed.
    const choices = names.flatMap((one) => one.replaceAll(/[()]/g, '').split(' OR '))
    if (choices.some((one) => one.split(' AND ').every((part) => allowedLicences.has(part)))) return []
    return [`${name} ${version} has the licence ${names.join(', ') || 'unknown'}, which is not allowed`]
  })
