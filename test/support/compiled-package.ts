import { existsSync, readdirSync, statSync } from 'node:fs'
import { cp, mkdir, readFile, symlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { tsc } from './tsc.js'
import { userShell } from './user-shell.js'

const root = fileURLToPath(new URL('../../', import.meta.url))

/** The members of package.json that tests read. */
export interface Manifest {
  readonly version: string
  readonly files: readonly string[]
  readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>
  readonly dependencies: Readonly<Record<string, string>>
  readonly optionalDependencies: Readonly<Record<string, string>>
}

/** Reads package.json of the package in a folder, of this package by default. */
export async function readManifest(folder: string = root): Promise<Manifest> {
  return JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as Manifest
}

/** Build inputs that are not published. */
const built = ['src', 'package.json', 'tsconfig.json', 'tsconfig.build.json', 'README.md', 'LICENSE']

/** True when `dist/` is current, by the same check as `bin/concordat.js`. */
function isBuilt(): boolean {
  const main = join(root, 'dist', 'src', 'cli', 'main.js')
  if (!existsSync(main)) return false
  const built = statSync(main).mtimeMs
  return ['src', 'generated', 'conformance/faults']
    .flatMap((name) =>
      readdirSync(join(root, name), { recursive: true, encoding: 'utf8' }).map((file) => join(name, file)),
    )
    .every((file) => statSync(join(root, file)).mtimeMs <= built)
}

/**
 * Copies this package with its `dist/`. If `dist/` is out of date, the source is compiled in the copy, so that the
 * original `dist/` stays unchanged.
 * @param folder a new folder
 */
export async function compileCopy(folder: string): Promise<void> {
  const { files } = await readManifest()
  const published = files.filter((path) => path !== 'dist' && !/^(!|src\/)/.test(path))
  for (const path of [...published, ...built]) {
    await cp(join(root, path), join(folder, path), { recursive: true })
  }
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
  if (isBuilt()) return cp(join(root, 'dist'), join(folder, 'dist'), { recursive: true })
  const said = await tsc(['-p', join(folder, 'tsconfig.build.json')])
  if (said !== '') throw new TypeError(said)
  const { code, output } = await userShell(folder).run('node bin/copy-assets.js')
  if (code !== 0) throw new TypeError(output)
}

/** Links installed packages and their commands into another `node_modules`. */
export async function linkPackages(
  modules: string,
  names: readonly string[],
  commands: readonly string[] = [],
): Promise<void> {
  await mkdir(join(modules, '.bin'), { recursive: true })
  for (const name of names) {
    await mkdir(dirname(join(modules, name)), { recursive: true })
    await symlink(join(root, 'node_modules', name), join(modules, name))
  }
  for (const name of commands) {
    await symlink(join(root, 'node_modules', '.bin', name), join(modules, '.bin', name))
  }
}

/** The development dependencies of a project that `concordat init` made, with their commands. */
export const projectTools = {
  packages: ['typescript', 'tsx', '@types/node'],
  commands: ['tsc', 'tsx'],
} as const
