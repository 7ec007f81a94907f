import { stat } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import { ContractError, documentPath, isServiceUrl } from '../toolkit/contract/index.js'
import { configName, type ProjectConfig, readConfig } from './config/project-config.js'
import { contractMessage } from './contract-message.js'
import { texts } from './define-command.js'
import { UsageError } from './io.js'

/** Describes a document in help texts. */
export const documentWords =
  'JSON or YAML, a folder with one, the URL of a service that answers rpc.discover, or - for standard input'

/** Describes the argument DOC of the commands that read the project's document without it. */
export const documentHelp = `the OpenRPC document with the files that it refers to: ${documentWords}
  (default: the one that ${configName} names, or openrpc.json or openrpc.yaml)`

/** The option of commands that load a document. */
export const allowRemoteOption = [
  '--allow-remote',
  'fetch the http and https documents that references name',
  false,
] as const

/** The option of commands that check the package's own contract, unless another is given. */
export const contractOption = [
  '--contract <DOC>',
  `another OpenRPC document and the cases derived from it (default: the package's own): ${documentWords}`,
] as const

/** The option of commands that read scenarios. */
export const scenariosOption = [
  '--scenarios <DIR>',
  `scenarios in YAML; shipped means the package's own, whose fixtures are always available (repeatable; default: shipped,
  for the package's own contract)`,
  texts,
  [] as readonly string[],
] as const

/** The document of a command, and the configuration of its project. */
export interface ProjectDocument {
  readonly source: string
  readonly config: ProjectConfig
  /** True for the document that the configuration is about; other documents only share its rules. */
  readonly isOwn: boolean
}

/** Options for {@link projectDocument}. */
export interface ProjectOptions {
  /** The file of `--config`. Undefined searches the document's folder and the folders above it. */
  readonly config?: string | undefined
}

/**
 * Returns the document that the argument of a command names, otherwise the one of the project, with its configuration.
 * @throws UsageError for an invalid configuration, or a folder without a document
 */
export async function projectDocument(
  named: string | undefined,
  { config: given }: ProjectOptions = {},
): Promise<ProjectDocument> {
  const config = await readConfig(given, named === undefined ? process.cwd() : await folderOf(named))
  if (named === undefined) return { source: await ownDocument(config), config, isOwn: true }
  const source = named === '-' || isServiceUrl(named) ? named : await usable(named, () => documentPath(named))
  const own = await ownDocument(config).catch(() => undefined)
  return { source, config, isOwn: own !== undefined && resolve(own) === resolve(source) }
}

/** Returns the document of a command that reads no other settings, as {@link projectDocument} does. */
export async function documentOf(named: string | undefined): Promise<string> {
  return (await projectDocument(named)).source
}

async function ownDocument({ document, folder }: ProjectConfig): Promise<string> {
  const path = join(folder, document ?? '')
  const here = relative(process.cwd(), path)
  return usable(here === '' ? 'the current folder' : here, () => documentPath(here === '' ? '.' : here))
}

async function usable(shown: string, find: () => Promise<string>): Promise<string> {
  try {
    return await find()
  } catch (cause) {
    if (!(cause instanceof ContractError)) throw cause
    throw new UsageError(await contractMessage(shown, cause), { cause })
  }
}

/** Returns the folder of a document; for standard input and services the current folder. */
export async function folderOf(source: string): Promise<string> {
  if (source === '-' || isServiceUrl(source)) return process.cwd()
  const path = resolve(source)
  const isFolder = await stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  )
  return isFolder ? path : dirname(path)
}
