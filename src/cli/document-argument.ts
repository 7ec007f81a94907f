import { stat } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import { ContractError, documentPath, isServiceUrl } from '../contract/index.js'
import { configName, type ProjectConfig, readConfig } from './config/project-config.js'
import { contractMessage } from './contract-message.js'
import { UsageError } from './io.js'

/** Describes the default document in help texts. */
export const defaultDocumentWords = `the one that ${configName} names, or openrpc.json or openrpc.yaml`

/** Describes a document argument in help texts. */
export const documentWords =
  'JSON or YAML, a folder with one, the URL of a service that answers rpc.discover, or - for standard input'

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
 * Returns the document that the arguments of a command name, otherwise the one of the project, with its configuration.
 * @throws UsageError for several documents, an empty name, an invalid configuration, or a folder without a document
 */
export async function projectDocument(
  [first, second]: readonly string[],
  { config: given }: ProjectOptions = {},
): Promise<ProjectDocument> {
  if (second !== undefined) throw new UsageError(`give one document, not both "${first}" and "${second}"`)
  if (first === '') throw new UsageError('the name of the document is empty')
  const config = await readConfig(given, first === undefined ? process.cwd() : await folderOf(first))
  if (first === undefined) return { source: await ownDocument(config), config, isOwn: true }
  const source = first === '-' || isServiceUrl(first) ? first : await usable(first, () => documentPath(first))
  const own = await ownDocument(config).catch(() => undefined)
  return { source, config, isOwn: own !== undefined && resolve(own) === resolve(source) }
}

/** Returns the document of a command that reads no other settings, as {@link projectDocument} does. */
export async function documentOf(args: readonly string[]): Promise<string> {
  return (await projectDocument(args)).source
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
