import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

/** The package's folder. Code in dist/ is one level deeper. */
const packageFolder = ['../../', '../../../']
  .map((path) => fileURLToPath(new URL(path, import.meta.url)))
  .find((folder) => existsSync(`${folder}package.json`))

/**
 * Returns the path of a file or folder next to package.json.
 * @param name a name such as `openrpc.json`
 */
export function packagePath(name: string): string {
  return `${packageFolder}${name}`
}

/**
 * Reads a file next to package.json.
 * @param name a name such as `openrpc.json`
 */
export function readPackageFile(name: string): Promise<Buffer> {
  return readFile(packagePath(name))
}
