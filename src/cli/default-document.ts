import { ContractError, documentPath } from '../contract/index.js'
import { contractMessage } from './contract-message.js'
import { UsageError } from './io.js'

/** What help says of a document that is not named. */
export const defaultDocumentWords = 'openrpc.json or openrpc.yaml in the current folder'

/**
 * The document of the current folder, for commands that were given none.
 * @throws UsageError where the folder has none, or several
 */
export async function defaultDocument(): Promise<string> {
  try {
    return await documentPath('.')
  } catch (cause) {
    if (!(cause instanceof ContractError)) throw cause
    throw new UsageError(await contractMessage('the current folder', cause), { cause })
  }
}
