import { mkdir, symlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../', import.meta.url))

/** The project's packages that new projects use. */
export const ownPackages = ['concordat', '@concordat/client', '@concordat/rpc', '@concordat/server'] as const

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
  packages: ['typescript', '@types/node'],
  commands: ['tsc'],
} as const
