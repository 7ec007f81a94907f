import { cp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import '../../test/support/plain-children.js'
import { findTool } from '../../test/support/tools.js'
import { runLimited } from '../limited-command.js'
import type { ProgramSettings } from './services.js'
import type { ClientSection } from './table.js'

const here = fileURLToPath(new URL('.', import.meta.url))
const contracts = fileURLToPath(new URL('../../examples/integrator/counter.sol', import.meta.url))
/** Packages, builds and their sources; `node_modules` of the project is found from there. */
const cache = fileURLToPath(new URL('../../node_modules/.cache/clients/', import.meta.url))

/** Time limits in milliseconds. A first installation downloads and compiles several hundred packages. */
const installationMs = 1_800_000
const runMs = 300_000

/** How a program is recognised, installed and run. Commands are relative to its folder. */
interface Kind {
  /** The file that tells the kind. */
  readonly file: string
  /** A command that succeeds when the toolchain is installed, and the toolchain's name. */
  readonly probe: readonly [string, ...string[]]
  readonly toolchain: string
  /** The command that installs or builds, unless `lock` is as it was after the last installation. */
  readonly install: readonly [string, ...string[]]
  readonly lock: string | undefined
  readonly run: readonly [string, ...string[]]
}

const kinds: readonly Kind[] = [
  {
    file: 'Cargo.toml',
    probe: ['cargo', '--version'],
    toolchain: 'Rust',
    install: ['cargo', 'build', '--locked', '--quiet'],
    lock: undefined,
    run: ['target/debug/client'],
  },
  {
    file: 'go.mod',
    probe: ['go', 'version'],
    toolchain: 'Go',
    install: ['go', 'build', '-o', 'client', '.'],
    lock: undefined,
    run: ['./client'],
  },
  {
    file: 'pom.xml',
    probe: ['mvn', '--version'],
    toolchain: 'Java with Maven',
    install: ['mvn', '--batch-mode', '--quiet', 'compile', 'dependency:copy-dependencies'],
    lock: undefined,
    run: ['java', '-cp', 'target/classes:target/dependency/*', 'Client'],
  },
  {
    file: 'requirements.txt',
    probe: ['python3', '-m', 'pip', '--version'],
    toolchain: 'Python with pip',
    install: [
      'python3',
      '-m',
      'pip',
      'install',
      '--quiet',
      '--upgrade',
      '--target',
      'packages',
      '-r',
      'requirements.txt',
    ],
    lock: 'requirements.txt',
    run: ['python3', 'client.py'],
  },
  {
    file: 'package-lock.json',
    probe: ['npm', '--version'],
    toolchain: 'npm',
    install: ['npm', 'ci', '--ignore-scripts', '--no-audit', '--no-fund'],
    lock: 'package-lock.json',
    run: ['node', 'client.mjs'],
  },
  {
    file: 'client.mjs',
    probe: ['node', '--version'],
    toolchain: 'Node.js',
    install: ['node', '--version'],
    lock: undefined,
    run: ['node', 'client.mjs'],
  },
]

/** What a program reported. */
export interface ProgramRun extends ClientSection {
  /** The toolchain that is missing; the program was not run. */
  readonly missing?: string
  /** Why the program did not end well: its installation or run failed, or took too long. */
  readonly failure?: string
  /** Standard output and errors. */
  readonly output: string
}

/** Installs the program of a folder in the cache and runs it. Its lines `* STEP: RESULT` are the results. */
export async function runProgram(name: string, settings: ProgramSettings): Promise<ProgramRun> {
  const folder = join(cache, name, 'program')
  await removeAllBut(installed, folder)
  for (const shared of ['step.mjs', 'ethers-steps.mjs'])
    await cp(join(here, shared), join(folder, '..', shared))
  await cp(join(here, name), folder, { recursive: true })
  await cp(contracts, join(folder, 'contracts', 'counter.sol'))
  const kind = await kindOf(folder)
  const nothing = { version: '', results: new Map<string, string>(), output: '' }
  const path = await pathWithNode(folder)
  if (path === undefined) return { ...nothing, missing: 'a newer Node.js (`npm run test:tools`)' }
  const env = { ...process.env, ...settings, PATH: path, PYTHONPATH: join(folder, 'packages') }
  if ((await runLimited(kind.probe, folder, env, runMs)).failure !== undefined)
    return { ...nothing, missing: kind.toolchain }
  const installation = await install(kind, folder, env)
  if (installation.failure !== undefined)
    return { ...nothing, output: installation.output, failure: installation.failure }
  const { output, failure } = await runLimited(kind.run, folder, env, runMs)
  const reported = new Map(
    [...output.matchAll(/^\* (.+?): (.+)$/gm)].map(([, step = '', result = '']) => [step, result]),
  )
  const version = reported.get('version') ?? ''
  reported.delete('version')
  return { version, results: reported, output, ...(failure !== undefined && { failure }) }
}

/**
 * Returns the PATH for the commands of a program. If `engines` in its package.json requires a newer Node.js than this
 * process runs on, the newest one comes first. Resolves to undefined if the newest one is not installed.
 */
async function pathWithNode(folder: string): Promise<string | undefined> {
  const { engines } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8').catch(() => '{}'))
  const least = Number(/\d+/.exec(engines?.node ?? '')?.[0] ?? 0)
  if (Number.parseInt(process.versions.node, 10) < least)
    return findTool('newest Node.js').catch(() => undefined)
  return [dirname(process.execPath), process.env['PATH']].join(delimiter)
}

/** What installations make. All else in a folder is a copy, or the state that a run has left of an older chain. */
const installed: readonly string[] = ['node_modules', 'packages', 'target', 'installed']

async function removeAllBut(names: readonly string[], folder: string): Promise<void> {
  const found = await readdir(folder).catch(() => [])
  const others = found.filter((name) => !names.includes(name))
  await Promise.all(others.map((name) => rm(join(folder, name), { recursive: true, force: true })))
}

async function kindOf(folder: string): Promise<Kind> {
  for (const kind of kinds) {
    const found = await readFile(join(folder, kind.file)).catch(() => undefined)
    if (found !== undefined) return kind
  }
  throw new TypeError(`${folder} has none of ${kinds.map(({ file }) => file).join(', ')}`)
}

async function install({ install: command, lock }: Kind, folder: string, env: NodeJS.ProcessEnv) {
  const stamp = join(folder, 'installed')
  const [wanted, installed] = await Promise.all(
    [join(folder, lock ?? ''), stamp].map((path) => readFile(path, 'utf8').catch(() => undefined)),
  )
  if (lock !== undefined && wanted === installed) return { output: '', failure: undefined }
  const done = await runLimited(command, folder, env, installationMs)
  if (lock !== undefined && done.failure === undefined) await writeFile(stamp, wanted ?? '')
  return done
}
