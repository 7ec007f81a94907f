import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'

const { resolve } = createRequire(import.meta.url)

/** Reads the service's contract, `openrpc.json`. */
export function readContractText(): Promise<Buffer> {
  return readFile(resolve('concordat/openrpc.json'))
}

/**
 * Reads a page that was generated from the contract. It lies beside compiled code, and for source code in `generated/`.
 * @param name name of the page, such as `reference`
 */
export function readContractPage(name: string): Promise<Buffer> {
  const compiled = new URL(`../${name}.html`, import.meta.url)
  return readFile(
    existsSync(compiled) ? compiled : new URL(`../../../../generated/${name}.html`, import.meta.url),
  )
}
