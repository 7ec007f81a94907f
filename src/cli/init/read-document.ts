import { dirname, join } from 'node:path'
import type { GeneratedFile } from '../../toolkit/codegen/index.js'
import type { Contract } from '../../toolkit/contract/index.js'
import { documentsFrom, type ReadSource, readContract, readSource } from '../../toolkit/contract/index.js'
import { contractFolder, copiedFiles, isRemote } from './copied-files.js'

/** The contract of a new project. */
export interface ReadDocument {
  readonly contract: Contract
  /** The path of the main document in the project, with `/` between names. */
  readonly path: string
  /** The main document and the files that references name. */
  readonly files: readonly GeneratedFile[]
  /** True if some documents must be fetched. */
  readonly isRemote: boolean
}

/**
 * Reads a contract for a new project. The documents go to `contract/`, several of them with their relative paths.
 * @param source a file, a folder with `openrpc.json` or `openrpc.yaml`, or `-` for standard input
 * @param allowRemote allows fetching documents
 * @throws ContractError when the contract cannot be used, or not from another place
 */
export async function readDocument(source: string, allowRemote: boolean): Promise<ReadDocument> {
  const read = await readSource(source)
  // Standard input gets the file name that it will have in the project.
  const path = source === '-' ? join(dirname(read.path), nameFor(read.text)) : read.path
  return readFrom({ path, text: read.text }, allowRemote)
}

/**
 * Reads the contract of a document that was already read.
 * @param source the main document
 * @param allowRemote allows fetching documents
 * @throws ContractError as {@link readDocument}
 */
export async function readFrom(source: ReadSource, allowRemote: boolean): Promise<ReadDocument> {
  const documents = await documentsFrom(source, { allowRemote })
  const contract = readContract(documents)
  const path = `${contractFolder}/${nameFor(source.text)}`
  const local = documents.all().filter((document) => !isRemote(document))
  const copied =
    local.length === 1
      ? { path, files: [{ path, content: withoutMark(source.text) }] }
      : copiedFiles(documents, source.path)
  return {
    contract,
    ...copied,
    isRemote: documents.all().length > local.length,
  }
}

function nameFor(text: string): 'openrpc.json' | 'openrpc.yaml' {
  try {
    JSON.parse(withoutMark(text))
    return 'openrpc.json'
  } catch {
    return 'openrpc.yaml'
  }
}

/** Removes the byte-order mark, which JSON does not allow. */
function withoutMark(text: string): string {
  return text.replace(/^\uFEFF/, '')
}
