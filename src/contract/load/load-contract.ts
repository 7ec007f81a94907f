import type { Contract } from '../model/contract.js'
import { readContract } from '../model/read-contract.js'
import { singleDocument } from './documents.js'
import { type LoadOptions, loadDocuments } from './load-documents.js'
import { parseDocument } from './parse-document.js'
import { validateDocument } from './validate-document.js'

/**
 * Loads a contract in JSON or YAML with all files that its references name. Each reference is resolved
 * against the file that holds it.
 * @param source a file, a folder with `openrpc.json` or `openrpc.yaml`, or `-` for standard input
 * @param options limits and permissions for other files
 * @throws ContractError when the contract cannot be read, is invalid or uses unsupported constructs
 */
export async function loadContract(source: string, options: LoadOptions = {}): Promise<Contract> {
  return readContract(await loadDocuments(source, options))
}

/**
 * Parses a contract that consists of one document.
 * @param text the document in JSON or YAML
 * @throws ContractError when the document is invalid or uses unsupported constructs
 */
export function parseContract(text: string): Contract {
  const document = parseDocument(text, '')
  validateDocument(document)
  return readContract(singleDocument(document))
}
