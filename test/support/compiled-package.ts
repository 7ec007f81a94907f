import { cp, mkdir, readFile, symlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { tsc } from './tsc.js'
import { userShell } from './user-shell.js'

const root = fileURLToPath(new URL('../../', import.meta.url))

/** What tests read of the package's package.json. */
export interface Manifest {
  readonly version: string
  readonly files: readonly string[]
  readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>
  readonly dependencies: Readonly<Record<string, string>>
  readonly optionalDependencies: Readonly<Record<string, string>>
}

/** Reads package.json of the package in a folder; this one by default. */
export async function readManifest(folder: string = root): Promise<Manifest> {
  return JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as Manifest
}

/** What is built from, beside what is published. */
const built = ['src', 'package.json', 'tsconfig.json', 'tsconfig.build.json', 'README.md', 'LICENSE']

/**
 * Compiles a copy of this package, as `npm run build` would: dist/ beside the source here would be run by everything
 * else.
 * @param folder a new folder
 */
export async function compileCopy(folder: string): Promise<void> {
  const { files } = await readManifest()
  const published = files.filter((path) => path !== 'dist' && !path.startsWith('src/'))
  for (const path of [...published, ...built]) {
    await cp(join(root, path), join(folder, path), { recursive: true })
  }
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
  const said = await tsc(['-p', join(folder, 'tsconfig.build.json')])
  if (said !== '') throw new TypeError(said)
  const { code, output } = await userShell(folder).run('node bin/copy-assets.js')
  if (code !== 0) throw new TypeError(output)
}

/** Links packages that are installed here into another folder of packages, and their commands. */
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

/** What a project that `concordat init` made is developed with, and the commands of it. */
export const projectTools = {
  packages: ['typescript', 'tsx', '@types/node'],
  commands: ['tsc', 'tsx'],
} as const
