/**
 * `npm run release`: packs every package, checks each archive, installs it alone on each supported version of Node.js,
 * prints a table of sizes, and publishes. `--dry-run` does not publish.
 */
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs, promisify } from 'node:util'
import { installNode, nodeVersions } from './install-node.js'
import { archiveProblems, archivesOf, packPackages, readManifest } from './pack-packages.js'

const run = promisify(execFile)
const root = fileURLToPath(new URL('..', import.meta.url))
const tool = (name: string) => join(root, 'node_modules/.bin', name)

/** What users install. */
const installations: Readonly<Record<string, readonly string[]>> = {
  'JSON-RPC itself': ['@concordat/rpc'],
  'runtime of a generated client': ['@concordat/client'],
  'client of this service': ['@concordat/node-access'],
  'own server': ['@concordat/server'],
  'own server on Fastify': ['@concordat/server', 'fastify', 'light-my-request@~6.6.0'],
  'toolkit: generate, mock, conform': ['concordat'],
  'this service': ['@concordat/gateway'],
}

const help = `Usage: npm run release -- [--dry-run]

Packs every package, checks each archive (publint, the types with attw, no file twice, no source map), installs it
alone into an empty folder on Node.js ${nodeVersions.join(', ')}, and prints what each installation weighs.

  --dry-run  do not publish`

/** Checks, measures and publishes. Returns the exit code. */
async function release(isDry: boolean): Promise<number> {
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
    for (const version of nodeVersions) {
      progress(`installing Node ${version}`)
      const path = await installNode(version)
      for (const [users, names] of Object.entries(installations)) {
        progress(`Node ${version}: installing ${names.join(', ')}`)
        const wanted = await Promise.all(
          names.map(async (name) => (name.includes('concordat') ? archivesOf(name, packed) : [name])),
        )
        const home = join(folder, version, `${Object.keys(installations).indexOf(users)}`)
        problems.push(...(await install(home, [...new Set(wanted.flat())], path)))
        if (version === nodeVersions[0]) rows.push(await rowOf(users, names, home))
      }
    }
    progress('creating a project and installing it')
    const { home, problems: failed } = await createProject(folder, await archivesOf('concordat', packed))
    problems.push(...failed)
    rows.push(await rowOf('new project, with its tools', ['concordat init'], home))
    print('| users | packages to install | installed packages | MB |\n|---|---|---|---|')
    for (const row of rows) print(row)
    for (const problem of problems) print(`problem: ${problem}`)
    if (problems.length > 0) return 1
    if (isDry) return 0
    for (const { archive } of packed) await run('npm', ['publish', '--access', 'public', archive])
    return 0
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
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
  await writeFile(join(home, 'package.json'), '{ "private": true, "type": "module" }\n')
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

/** The row of an installation: packages, and the sizes of all files in megabytes (10^6 bytes). */
async function rowOf(users: string, names: readonly string[], home: string): Promise<string> {
  const modules = join(home, 'node_modules')
  const { packages } = JSON.parse(await readFile(join(modules, '.package-lock.json'), 'utf8'))
  const files = (await readdir(modules, { recursive: true, withFileTypes: true })).filter((one) =>
    one.isFile(),
  )
  const sizes = await Promise.all(files.map(async (one) => (await stat(join(one.parentPath, one.name))).size))
  const megabytes = sizes.reduce((sum, size) => sum + size, 0) / 1_000_000
  const shown = names.map((name) => `\`${name}\``).join(' ')
  return `| ${users} | ${shown} | ${Object.keys(packages).length} | ${megabytes.toFixed(2)} |`
}

function progress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`${text}\n`)
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}

const { values } = parseArgs({ options: { 'dry-run': { type: 'boolean' }, help: { type: 'boolean' } } })
if (values.help) print(help)
else process.exitCode = await release(values['dry-run'] === true)
