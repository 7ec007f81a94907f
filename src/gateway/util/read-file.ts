import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'

const { resolve } = createRequire(import.meta.url)

/** Reads the service's contract, `openrpc.json`. */
export function readContractText(): Promise<Buffer> {
  return readFile(resolve('concordat/openrpc.json'))
}

/**
 * Reads a page that was generated from the contract.
 * @param name name of the page, such as `reference`
 */
export function readContractPage(name: string): Promise<Buffer> {
  return readFile(resolve(`concordat/${name}.html`))
}
