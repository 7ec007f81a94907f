import { readPackageFile } from './package-file.js'

/** The versions that generated projects state: those with which this package is tested. */
export interface ToolVersions {
  /** The version of this package and of its siblings. */
  readonly version: string
  /** The supported Node versions. */
  readonly node: string
  readonly typescript: string
  readonly nodeTypes: string
}

/** Reads the versions from package.json of this package. */
export async function readToolVersions(): Promise<ToolVersions> {
  const { version, engines, devDependencies } = JSON.parse(
    (await readPackageFile('package.json')).toString('utf8'),
  ) as {
    readonly version: string
    readonly engines: { readonly node: string }
    readonly devDependencies: { readonly typescript: string; readonly '@types/node': string }
  }
  return {
    version,
    node: engines.node,
    typescript: devDependencies.typescript,
    nodeTypes: devDependencies['@types/node'],
  }
}
