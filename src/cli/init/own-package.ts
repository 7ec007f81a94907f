import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The package's folder, as seen from the source and from dist/. */
const [source, compiled] = ['../../..', '../../../..'].map((path) =>
  resolve(fileURLToPath(new URL(path, import.meta.url))),
) as [string, string]
const isSource = existsSync(join(source, 'package.json'))
const packageFolder = isSource ? source : compiled

/**
 * Returns a function that returns the dependency specifier of this package or of one of its siblings: a version range
 * if this package came from a registry, otherwise an archive or a folder.
 * @param version the version of all these packages
 */
export async function ownSpecifiers(version: string): Promise<(name: string) => string> {
  const modules = dirname(packageFolder)
  if (basename(modules) !== 'node_modules') {
    return (name) =>
      `file:${name === 'concordat' ? packageFolder : join(packageFolder, 'src', basename(name))}`
  }
  const archive = await installedFrom(modules)
  return (name) => {
    const file = join(dirname(archive ?? ''), `${name.replace('@', '').replace('/', '-')}-${version}.tgz`)
    return archive !== undefined && existsSync(file) ? `file:${file}` : `^${version}`
  }
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
