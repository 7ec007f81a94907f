import { parseContract } from '../../contract/index.js'
import { readSource } from '../../contract/load-documents.js'

/** The document that a project is made from, under the name that it gets there. */
export interface ReadDocument {
  readonly name: 'openrpc.json' | 'openrpc.yaml'
  readonly text: string
}

/**
 * Reads a document that stands alone: one that refers to other files is refused, with every such reference.
 * @param source a file, a folder with `openrpc.json` or `openrpc.yaml`, or `-` for standard input
 * @throws ContractError where it cannot be used
 */
export async function readDocument(source: string): Promise<ReadDocument> {
  const { text } = await readSource(source)
  const plain = text.replace(/^\uFEFF/, '')
  parseContract(plain)
  return { name: isJson(plain) ? 'openrpc.json' : 'openrpc.yaml', text: plain }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
