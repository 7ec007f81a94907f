import { readPackageFile } from '../package-file.js'
import { ownSpecifier } from './own-package.js'

/** The versions that a new project depends on: those with which this package is tested. */
export interface Tools {
  /** The version of this package. */
  readonly version: string
  /** The dependency specifier of this package. */
  readonly specifier: string
  /** The supported Node versions. */
  readonly node: string
  /** The version of the YAML parser. */
  readonly yaml: string
  /** Development dependencies with their versions. */
  readonly development: Readonly<Record<string, string>>
}

const developmentNames = ['@types/node', 'tsx', 'typescript'] as const

/** Reads the versions from this package's package.json. */
export async function readTools(): Promise<Tools> {
  const { version, engines, dependencies, devDependencies } = JSON.parse(
    (await readPackageFile('package.json')).toString('utf8'),
  ) as {
    readonly version: string
    readonly engines: { readonly node: string }
    readonly dependencies: { readonly yaml: string }
    readonly devDependencies: Readonly<Record<string, string>>
  }
  const development = developmentNames.map((name) => [name, devDependencies[name] ?? '*'] as const)
  return {
    version,
    specifier: await ownSpecifier(version),
    node: engines.node,
    yaml: dependencies.yaml,
    development: Object.fromEntries(development),
  }
}
