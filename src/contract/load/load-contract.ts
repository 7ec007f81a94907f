import type { Contract } from '../model/contract.js'
import { readContract } from '../model/read-contract.js'
import { singleDocument } from './documents.js'
import { type LoadOptions, loadDocuments } from './load-documents.js'
import { parseDocument } from './parse-document.js'
import { validateDocument } from './validate-document.js'

/**
 * Loads a contract, JSON or YAML, with the files that its references name, each resolved against the file that holds
 * the reference.
 * @param source a file, a folder with `openrpc.json` or `openrpc.yaml`, or `-` for standard input
 * @throws ContractError where it cannot be read, is no JSON or YAML, breaks the meta-schema or cannot be honoured
 */
export async function loadContract(source: string, options: LoadOptions = {}): Promise<Contract> {
  return readContract(await loadDocuments(source, options))
}

/**
 * A contract from the text of its one document.
 * @throws ContractError where it is no JSON or YAML, breaks the meta-schema or cannot be honoured
 */
export function parseContract(text: string): Contract {
  const document = parseDocument(text, '')
  validateDocument(document)
  return readContract(singleDocument(document))
}
