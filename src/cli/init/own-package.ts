import { existsSync } from 'node:fs'
import { readFile, realpath } from 'node:fs/promises'
import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The package's folder, as seen from the source and from dist/. */
const [source, compiled] = ['../../..', '../../../..'].map((path) =>
  resolve(fileURLToPath(new URL(path, import.meta.url))),
) as [string, string]
const isSource = existsSync(join(source, 'package.json'))
const packageFolder = isSource ? source : compiled

/**
 * Creates the function that returns the dependency specifier of this package, or of one of its siblings, for a new project:
 * the path of its archive or folder, relative to the project. It is undefined if the package came from a registry.
 * @param version the version of all these packages
 * @param project path of the project's folder, which may not exist yet
 */
export async function localSpecifiers(
  version: string,
  project: string,
): Promise<(name: string) => string | undefined> {
  const home = await realFolder(project)
  // npm writes paths with slashes on every system.
  const specifier = (path: string) => `file:${relative(home, path).replaceAll(sep, '/')}`
  const modules = dirname(packageFolder)
  if (basename(modules) !== 'node_modules') {
    const { workspaces } = JSON.parse(await readFile(join(packageFolder, 'package.json'), 'utf8')) as {
      readonly workspaces: readonly string[]
    }
    return (name) => {
      const folder = workspaces.find((path) => basename(path) === basename(name)) ?? '.'
      return specifier(join(packageFolder, folder))
    }
  }
  const archive = await installedFrom(modules)
  return (name) => {
    const file = join(dirname(archive ?? ''), `${name.replace('@', '').replace('/', '-')}-${version}.tgz`)
    return archive !== undefined && existsSync(file) ? specifier(file) : undefined
  }
}

/** Resolves the links in a path whose end may not exist yet. */
async function realFolder(path: string): Promise<string> {
  const parent = dirname(path)
  return realpath(path).catch(async (error) => {
    if (parent === path) throw error
    return join(await realFolder(parent), basename(path))
  })
}

/** Returns the local archive from which npm installed this package, if it still exists. */
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

/** This package's folder, if its compiled code is needed but missing. */
export const folderToBuild: string | undefined = isSource ? packageFolder : undefined
