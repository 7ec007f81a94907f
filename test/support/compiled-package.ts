import { existsSync, readdirSync, statSync } from 'node:fs'
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

/** True when dist/ was built from the source as it is: what bin/concordat.js goes by. */
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
 * Makes a copy of this package with its dist/: the one here where it is what `npm run build` would make, else one that
 * is compiled in the copy, for dist/ beside the source here would be run by everything else.
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
