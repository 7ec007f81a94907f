import { readFile } from 'node:fs/promises'
import type { Contract } from './contract.js'
import { contractError } from './contract-error.js'
import type { JsonValue } from './json.js'
import { readContract } from './read-contract.js'
import { validateDocument } from './validate-document.js'

/**
 * Loads a contract from a JSON file.
 * @throws ContractError where it cannot be read, is no JSON, breaks the meta-schema or cannot be honoured
 */
export async function loadContract(path: string): Promise<Contract> {
  const text = await readFile(path, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    const reason = cause.code === 'ENOENT' ? 'there is no such file' : `cannot be read (${cause.code})`
    throw contractError('', reason, { cause })
  })
  return parseContract(text)
}

/**
 * A contract from its JSON text.
 * @throws ContractError where it is no JSON, breaks the meta-schema or cannot be honoured
 */
export function parseContract(text: string): Contract {
  const document = parseJson(text)
  validateDocument(document)
  return readContract(document)
}

function parseJson(text: string): JsonValue {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, '')) as JsonValue
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message.replaceAll(/\s+/g, ' ') : String(cause)
    throw contractError('', `is no JSON: ${reason}`, { cause })
  }
}
