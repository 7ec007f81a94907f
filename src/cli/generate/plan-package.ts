import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  createPackage,
  type GeneratedFile,
  packageVersion,
  readPackageJson,
  updatePackageJson,
  type WritePlan,
} from '../../codegen/index.js'
import { type Contract, stringMember } from '../../contract/index.js'
import { UsageError } from '../io.js'
import { printable } from '../printable.js'
import type { ToolVersions } from '../tool-versions.js'

/** What decides about the package.json of an output folder. */
export interface PackagePlanOptions {
  /** The value of `--package`. */
  readonly name: string | undefined
  readonly contract: Contract
  /** All files of this run. */
  readonly files: readonly GeneratedFile[]
  /** True if other generated files of the folder stay, too. */
  readonly isPartial: boolean
  readonly versions: ToolVersions
}

/**
 * Adds package.json, tsconfig.json and README.md to a plan. They are created if `--package` is given. Afterwards, the
 * plan updates package.json with or without the option.
 * @throws UsageError if the name or the existing package.json does not fit
 */
export async function planPackage(plan: WritePlan, options: PackagePlanOptions): Promise<WritePlan> {
  const { name, contract, files, isPartial, versions } = options
  const { folder } = plan
  const present = await readdir(folder).catch((): readonly string[] => [])
  const names = [...files.map(({ path }) => path), ...(isPartial ? present : [])]
  const parts = { names, files, specifierOf: () => `^${versions.version}` }
  const path = 'package.json'
  if (!present.includes(path)) {
    if (name === undefined) return plan
    const created = createPackage({ ...versions, ...parts, contract, name, version: versionOf(contract) })
    return { ...plan, missing: [...plan.missing, ...created.filter((file) => !present.includes(file.path))] }
  }
  const { text: previous, value: parsed } = await readExisting(join(folder, path))
  if (parsed === undefined) {
    if (name === undefined) return plan
    throw new UsageError(
      `${path} in ${folder} was not created by concordat and is not changed: move it or choose another folder`,
    )
  }
  const current = stringMember(parsed, 'name')
  if (name !== undefined && name !== current) {
    throw new UsageError(`--package: the package in ${folder} is named "${current}", not "${name}"`)
  }
  const content = updatePackageJson(previous, parsed, parts)
  return content === previous
    ? { ...plan, unchanged: [...plan.unchanged, path] }
    : { ...plan, stale: [...plan.stale, { path, content, previous }] }
}

async function readExisting(path: string) {
  try {
    const text = await readFile(path, 'utf8')
    return { text, value: readPackageJson(text) }
  } catch (cause) {
    throw new UsageError(`${path} cannot be read as JSON: ${(cause as Error).message}`, { cause })
  }
}

function versionOf({ version }: Contract): string {
  const found = packageVersion(version)
  if (found !== undefined) return found
  throw new UsageError(
    `--package: the contract's version "${printable(version)}" is not a semantic version, such as 1.2.0: change info.version`,
  )
}
