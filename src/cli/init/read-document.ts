import { dirname, join } from 'node:path'
import type { GeneratedFile } from '../../codegen/index.js'
import type { Contract } from '../../contract/index.js'
import { documentsFrom, type ReadSource, readSource } from '../../contract/load/load-documents.js'
import { readContract } from '../../contract/model/read-contract.js'
import { copiedFiles, isRemote } from './copied-files.js'

/** The contract that a project is made from. */
export interface ReadDocument {
  readonly contract: Contract
  /** Its own document's path in the project, `/` between names. */
  readonly path: string
  /** Whether that is JSON; else it is YAML. */
  readonly isJson: boolean
  /** Its own document and the files that references name. */
  readonly files: readonly GeneratedFile[]
  /** Whether some of it must be fetched. */
  readonly isRemote: boolean
}

/**
 * Reads a contract for a project to have: one document stands in the project's folder, several in `contract/`, as they
 * stand now.
 * @param source a file, a folder with `openrpc.json` or `openrpc.yaml`, or `-` for standard input
 * @throws ContractError where it cannot be used, or not from another place
 */
export async function readDocument(source: string, allowRemote: boolean): Promise<ReadDocument> {
  const read = await readSource(source)
  // What has no name gets the one that it will have.
  const path = source === '-' ? join(dirname(read.path), nameFor(read.text)) : read.path
  return readFrom({ path, text: read.text }, allowRemote)
}

/**
 * The same for a document that was read already.
 * @throws ContractError as {@link readDocument}
 */
export async function readFrom(source: ReadSource, allowRemote: boolean): Promise<ReadDocument> {
  const documents = await documentsFrom(source, { allowRemote })
  const contract = readContract(documents)
  const name = nameFor(source.text)
  const local = documents.all().filter((document) => !isRemote(document))
  const copied =
    local.length === 1
      ? { path: name, files: [{ path: name, content: withoutMark(source.text) }] }
      : copiedFiles(documents, source.path)
  return {
    contract,
    ...copied,
    isJson: name === 'openrpc.json',
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

/** Text without the byte-order mark, which JSON does not know. */
function withoutMark(text: string): string {
  return text.replace(/^\uFEFF/, '')
}
