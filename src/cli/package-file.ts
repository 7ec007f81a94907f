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

/** The versions that generated projects state: those with which this package is tested. */
export interface ToolVersions {
  /** The version of this package and of its siblings. */
  readonly version: string
  /** The supported Node versions. */
  readonly node: string
  readonly typescript: string
  readonly nodeTypes: string
  readonly ws: string
}

/** Reads the versions from package.json of this package. */
export async function readToolVersions(): Promise<ToolVersions> {
  const { version, engines, dependencies, devDependencies } = JSON.parse(
    (await readPackageFile('package.json')).toString('utf8'),
  ) as {
    readonly version: string
    readonly engines: { readonly node: string }
    readonly dependencies: { readonly ws: string }
    readonly devDependencies: { readonly typescript: string; readonly '@types/node': string }
  }
  return {
    version,
    node: engines.node,
    typescript: devDependencies.typescript,
    nodeTypes: devDependencies['@types/node'],
    ws: dependencies.ws,
  }
}
