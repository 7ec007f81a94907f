import { readPackageFile } from '../../util/package-file.js'
import { ownSpecifier } from './own-package.js'

/** The versions that a new project depends on: those that this package is tested with. */
export interface Tools {
  /** Of this package. */
  readonly version: string
  /** What the project's package.json names this package by. */
  readonly specifier: string
  /** The Node versions that it runs on. */
  readonly node: string
  /** The version of the package that reads YAML. */
  readonly yaml: string
  /** What a project is developed with: packages and their versions. */
  readonly development: Readonly<Record<string, string>>
}

const developmentNames = ['@types/node', 'tsx', 'typescript'] as const

/** Reads them from this package's own package.json. */
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
