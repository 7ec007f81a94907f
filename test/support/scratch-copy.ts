import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, readlink, symlink, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { keepBuildState } from '../../bin/pack-packages.js'
import { startConcordat } from './concordat-process.js'
import { type RunningService, type StartOptions, startService } from './service.js'
import { temporaryFolder } from './temporary-folder.js'
import { tsc } from './tsc.js'

const root = fileURLToPath(new URL('../../', import.meta.url))

/** Everything that the build, the command line and the unit tests read, and `dist/`, so that little is compiled. */
const copied = [
  'bin',
  'conformance',
  'dist',
  'docs',
  'examples',
  'generated',
  'lab',
  'src',
  'test',
  'ARCHITECTURE.md',
  'openrpc.json',
  'package.json',
  'tsconfig.json',
  'tsconfig.build.json',
]

/** The parts of openrpc.json that tests edit. */
export interface ContractDocument {
  readonly info: Record<string, unknown> & {
    'x-networks': Record<string, Record<string, unknown>>
  }
  methods: ({ name: string } & Record<string, unknown>)[]
}

/** A copy of this project that a test may change. */
export interface ScratchCopy {
  readonly folder: string
  /** Edits openrpc.json only. */
  readonly edit: (change: (document: ContractDocument) => void) => Promise<void>
  /** Runs a command in the copy to its end. */
  readonly run: (
    ...args: readonly string[]
  ) => Promise<{ readonly code: number | null; readonly out: string; readonly err: string }>
  /**
   * Generates and compiles.
   * @throws TypeError with the output of the generator or the compiler
   */
  readonly build: () => Promise<void>
  /** Starts the service of the copy; it stops when the test ends. */
  readonly start: (options?: StartOptions) => Promise<RunningService>
}

/** Makes a copy of this project, with its `dist/`; it is removed when the test ends. */
export async function scratchCopy(test: { teardown: (work: () => unknown) => void }): Promise<ScratchCopy> {
  const folder = join(await temporaryFolder(test), 'concordat')
  await mkdir(folder)
  const paths = copied.filter((name) => existsSync(join(root, name)))
  // The program takes a tenth of the processor time of `fs.cp`.
  await promisify(execFile)('cp', ['--archive', ...paths.map((name) => join(root, name)), folder])
  await linkModules(folder)
  await keepBuildState(folder)
  const launcher = join(folder, 'bin', 'concordat.js')
  const run: ScratchCopy['run'] = async (...args) => {
    const { ended, output } = startConcordat(args, {}, { launcher })
    return { code: await ended, ...output() }
  }
  return {
    folder,
    run,
    async edit(change) {
      const path = join(folder, 'openrpc.json')
      const document = JSON.parse(await readFile(path, 'utf8')) as ContractDocument
      change(document)
      await writeFile(path, `${JSON.stringify(document, null, 2)}\n`)
    },
    async build() {
      const { code, err } = await run('generate', folder)
      if (code !== 0) throw new TypeError(err)
      await compile(folder)
    },
    async start(options = {}) {
      const service = await startService({
        ...options,
        launcher,
      })
      test.teardown(() => service.stop())
      return service
    },
  }
}

/** Makes a `node_modules` with links to the installed packages, and to the copies of the project's own. */
async function linkModules(folder: string): Promise<void> {
  const [from, to] = [join(root, 'node_modules'), join(folder, 'node_modules')]
  const own = '@concordat'
  await mkdir(join(to, own), { recursive: true })
  for (const name of await readdir(from)) if (name !== own) await copyLink(join(from, name), join(to, name))
  for (const name of await readdir(join(from, own)))
    await copyLink(join(from, own, name), join(to, own, name))
}

/** Copies a link as it is, and links everything else. */
async function copyLink(from: string, to: string): Promise<void> {
  await symlink(await readlink(from).catch(() => from), to)
}

/** Does the same as `npm run build`, but compiles only changed files. */
async function compile(folder: string): Promise<void> {
  const said = await tsc(['-b', join(folder, 'tsconfig.build.json')])
  if (said !== '') throw new TypeError(said)
  await import(`${join(folder, 'bin', 'copy-assets.js')}?${Date.now()}`)
  // The command line reads this file to check that `dist/` is current.
  const now = new Date()
  await utimes(join(folder, 'dist', 'src', 'cli', 'main.js'), now, now)
}
