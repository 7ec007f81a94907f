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
