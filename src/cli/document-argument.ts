import { stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { ContractError, documentPath } from '../contract/index.js'
import { contractMessage } from './contract-message.js'
import { UsageError } from './io.js'

/** Describes the default document in help texts. */
export const defaultDocumentWords = 'openrpc.json or openrpc.yaml in the current folder'

/**
 * Returns the document of the current folder, for commands without a document argument.
 * @throws UsageError when the folder has no document or several
 */
export async function defaultDocument(): Promise<string> {
  try {
    return await documentPath('.')
  } catch (cause) {
    if (!(cause instanceof ContractError)) throw cause
    throw new UsageError(await contractMessage('the current folder', cause), { cause })
  }
}

/**
 * Returns the document that the arguments of a command name, otherwise the one of the current folder.
 * @throws UsageError for several documents or an empty name
 */
export async function documentOf([first, second]: readonly string[]): Promise<string> {
  if (second !== undefined) throw new UsageError(`give one document, not both "${first}" and "${second}"`)
  if (first === '') throw new UsageError('the name of the document is empty')
  return first ?? defaultDocument()
}

/** Returns the folder of a document; for standard input the current folder. */
export async function folderOf(source: string): Promise<string> {
  if (source === '-') return process.cwd()
  const path = resolve(source)
  const isFolder = await stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  )
  return isFolder ? path : dirname(path)
}
