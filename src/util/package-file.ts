import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

/** The package's folder is one level higher when the code runs from dist/. */
const packageFolder = ['../../', '../../../']
  .map((path) => fileURLToPath(new URL(path, import.meta.url)))
  .find((folder) => existsSync(`${folder}package.json`))

/**
 * The path of a file or folder that lies beside package.json.
 * @param name such as `openrpc.json`
 */
export function packagePath(name: string): string {
  return `${packageFolder}${name}`
}

/**
 * Reads a file that lies beside package.json.
 * @param name such as `openrpc.json`
 */
export function readPackageFile(name: string): Promise<Buffer> {
  return readFile(packagePath(name))
}
