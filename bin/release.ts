/**
 * `npm run release`: packs every package, checks each archive, installs it alone on each supported version of Node.js,
 * prints a table of sizes, and publishes. `--dry-run` does not publish.
 */
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs, promisify } from 'node:util'
import { runMatrix } from '../lab/matrix/run-matrix.js'
import { lineOf } from '../lab/matrix/run-rows.js'
import { installNode, nodeVersions } from './install-node.js'
import {
  type Bill,
  billOf,
  excessOf,
  type Installation,
  installations,
  licenceProblems,
  weigh,
} from './installations.js'
import {
  archiveProblems,
  archivesOf,
  type PackedPackage,
  packPackages,
  readManifest,
} from './pack-packages.js'
import { writeRelease } from './release-folder.js'

const run = promisify(execFile)
const root = fileURLToPath(new URL('..', import.meta.url))
const tool = (name: string) => join(root, 'node_modules/.bin', name)

const help = `Usage: npm run release -- [--dry-run] [--out FOLDER]

Packs every package and checks each archive (publint, the types with attw, no file twice, no source map). It installs
each alone into an empty folder on Node.js ${nodeVersions.join(', ')}, and prints what each installation weighs. The
client and the toolkit have a maximum weight, and all packages need an allowed licence (bin/installations.ts). Then it
runs the client of this service with each tool and runtime that it must work with (lab/matrix/rows.ts). It prints what
works, what cannot and why, and what was not run here, and publishes only if everything was run.

  --dry-run     do not publish
  --out FOLDER  write the release: the archives, the software bill of materials of each installation (CycloneDX,
                sbom-USERS.json), the support policy, and the checksums of all of them (SHA256SUMS)

Exit codes: 0 success, 1 problems found`

/**
 * Checks, measures and publishes. Returns the exit code.
 * @param out the folder for the release; undefined for none
 */
async function release(isDry: boolean, out: string | undefined): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'concordat-release-'))
  try {
    progress('building and packing')
    const packed = await packPackages(folder)
    const problems: string[] = await versionProblems(isDry)
    for (const one of packed) {
      progress(`checking ${one.name}`)
      problems.push(...(await archiveProblems(one)))
      problems.push(...(await failureOf(tool('publint'), [one.archive, '--strict'])))
      const untyped = ['--exclude-entrypoints', './open-rpc-generator']
      const options = ['--profile', 'esm-only', '--quiet', ...(one.name === 'concordat' ? untyped : [])]
      problems.push(...(await failureOf(tool('attw'), [one.archive, ...options])))
    }
    const rows: string[] = []
    const bills = new Map<string, Bill>()
    for (const version of nodeVersions) {
      progress(`installing Node ${version}`)
      const path = await installNode(version)
      const entries: readonly (readonly [string, Installation])[] = Object.entries(installations)
      for (const [at, [users, { names, most }]] of entries.entries()) {
        progress(`Node ${version}: installing ${names.join(', ')}`)
        const wanted = await Promise.all(
          names.map(async (name) => (name.includes('concordat') ? archivesOf(name, packed) : [name])),
        )
        const home = join(folder, version, `${at}`)
        problems.push(...(await install(home, [...new Set(wanted.flat())], path)))
        if (version !== nodeVersions[0]) continue
        rows.push(await rowOf(users, names, home))
        problems.push(...excessOf(users, await weigh(home), most))
        const bill = await billOf(home, users, packed[0]?.version ?? '')
        problems.push(...licenceProblems(bill))
        bills.set(users, bill)
      }
    }
    progress('creating a project and installing it')
    const { home, problems: failed } = await createProject(folder, await archivesOf('concordat', packed))
    problems.push(...failed)
    rows.push(await rowOf('new project, with its tools', ['concordat init'], home))
    print('| users | packages to install | installed packages | MB |\n|---|---|---|---|')
    for (const row of rows) print(row)
    problems.push(...(await matrixProblems(packed, join(folder, 'matrix'), isDry)))
    if (out !== undefined) await writeRelease(out, packed, bills)
    for (const problem of problems) print(`problem: ${problem}`)
    if (problems.length > 0) return 1
    if (isDry) return 0
    for (const { archive } of packed) await run('npm', ['publish', '--access', 'public', archive])
    return 0
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/**
 * Runs the client with every tool of the matrix and prints a line for each row. Returns the failures, and for a release
 * the rows that were not run.
 */
async function matrixProblems(
  packed: readonly PackedPackage[],
  folder: string,
  isDry: boolean,
): Promise<readonly string[]> {
  await mkdir(folder)
  const problems: string[] = []
  for await (const outcome of runMatrix(packed, folder)) {
    const line = lineOf(outcome)
    print(line.replace(/\n.*/s, ''))
    if (outcome.kind === 'failed' || (outcome.kind === 'not run' && !isDry)) problems.push(line)
  }
  return problems
}

/** A version is published only when the changelog has a chapter for it. */
async function versionProblems(isDry: boolean): Promise<string[]> {
  const { version } = await readManifest()
  const changelog = await readFile(join(root, 'CHANGELOG.md'), 'utf8')
  return isDry || changelog.includes(`\n## [${version}]`) ? [] : [`CHANGELOG.md has no chapter [${version}]`]
}

/** Runs a checking tool. Returns its output if it fails. */
async function failureOf(command: string, args: readonly string[]): Promise<readonly string[]> {
  const failed = (error: { readonly stdout: string; readonly stderr: string }) => [
    error.stdout + error.stderr,
  ]
  return run(command, args, { cwd: root }).then(() => [], failed)
}

/** Installs packages into an empty project and imports their entries. Returns the output of a failure. */
async function install(home: string, wanted: readonly string[], path: string): Promise<readonly string[]> {
  await mkdir(home, { recursive: true })
  await writeFile(
    join(home, 'package.json'),
    '{ "name": "installation", "version": "0.0.0", "private": true, "type": "module" }\n',
  )
  await writeFile(join(home, 'import.js'), importAll)
  const options = { cwd: home, env: { ...process.env, PATH: path } }
  const flags = ['--engine-strict', '--prefer-offline', '--no-audit', '--no-fund']
  const failed = (error: { readonly stdout: string; readonly stderr: string }) => [
    `${wanted.join(' ')}: ${error.stdout}${error.stderr}`,
  ]
  return run('npm', ['install', ...flags, ...wanted], options)
    .then(() => run('node', ['import.js'], options))
    .then(() => [], failed)
}

/** Creates a project with the installed toolkit, and installs it. */
async function createProject(folder: string, archives: readonly string[]) {
  const toolkit = join(folder, 'init')
  const home = join(toolkit, 'project')
  const problems = [...(await install(toolkit, archives, process.env['PATH'] ?? ''))]
  const command = join(toolkit, 'node_modules/concordat/bin/concordat.js')
  problems.push(...(await failureOf(process.execPath, [command, 'init', home])))
  problems.push(...(await failureOf('npm', ['install', '--prefix', home, '--no-audit', '--no-fund'])))
  return { home, problems }
}

/** Imports every entry of the installed packages of this project whose optional peer, if it needs one, is installed. */
const importAll = `import { existsSync, readdirSync, readFileSync } from 'node:fs'
const own = readdirSync('node_modules/@concordat').map((name) => '@concordat/' + name)
const peers = {
  '@concordat/node-access/contracts': 'ox',
  '@concordat/server/fastify': 'fastify',
  '@concordat/server/server-js': '@open-rpc/server-js',
  '@concordat/server/web-socket': 'ws',
  'concordat/open-rpc-generator': '@open-rpc/generator',
}
for (const name of existsSync('node_modules/concordat') ? [...own, 'concordat'] : own) {
  const { exports } = JSON.parse(readFileSync('node_modules/' + name + '/package.json', 'utf8'))
  for (const entry of Object.keys(exports).filter((one) => !/\\.(?:json|html)$/.test(one))) {
    const specifier = name + entry.slice(1)
    const peer = peers[specifier]
    if (peer === undefined || existsSync('node_modules/' + peer)) await import(specifier)
  }
}
`

/** The row of an installation. */
async function rowOf(users: string, names: readonly string[], home: string): Promise<string> {
  const { packages, megabytes } = await weigh(home)
  const shown = names.map((name) => `\`${name}\``).join(' ')
  return `| ${users} | ${shown} | ${packages} | ${megabytes.toFixed(2)} |`
}

function progress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`${text}\n`)
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}

const { values } = parseArgs({
  options: { 'dry-run': { type: 'boolean' }, out: { type: 'string' }, help: { type: 'boolean' } },
})
if (values.help) print(help)
else process.exitCode = await release(values['dry-run'] === true, values.out && resolve(values.out))
