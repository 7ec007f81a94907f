import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The package's folder, from the source and from dist/. */
const [source, compiled] = ['../../..', '../../../..'].map((path) =>
  resolve(fileURLToPath(new URL(path, import.meta.url))),
) as [string, string]
const isSource = existsSync(join(source, 'package.json'))
const packageFolder = isSource ? source : compiled

/**
 * What a project's package.json says to get this package again: the version where a registry has it, or the archive
 * or folder that it came from.
 */
export async function ownSpecifier(version: string): Promise<string> {
  const modules = dirname(packageFolder)
  if (basename(modules) !== 'node_modules') return `file:${packageFolder}`
  const archive = await installedFrom(modules)
  return archive === undefined ? `^${version}` : `file:${archive}`
}

/** The archive on this machine that npm installed this package from, where it did and the archive is still there. */
async function installedFrom(modules: string): Promise<string | undefined> {
  const lock = await readFile(join(modules, '.package-lock.json'), 'utf8').catch(() => '{}')
  const { packages } = JSON.parse(lock) as {
    readonly packages?: Readonly<Record<string, { readonly resolved?: string }>>
  }
  const resolved = packages?.[`node_modules/${basename(packageFolder)}`]?.resolved
  if (!resolved?.startsWith('file:')) return undefined
  const archive = resolve(dirname(modules), resolved.slice('file:'.length))
  return existsSync(archive) ? archive : undefined
}

/** The folder of this package where a project made now would use its compiled code, and it is not compiled. */
export const folderToBuild: string | undefined = isSource ? packageFolder : undefined
