import { addr } from 'micro-eth-signer'
import { type ChainFunction, ChainFunctionError } from './chain-function.js'
import { amountOf, hexOf } from './input.js'

/** Reads a private key. Error messages do not contain it. */
export function privateKeyFrom(value: Parameters<ChainFunction>[0][number] | undefined): string {
  if (typeof value !== 'string' || !addr.isValidPrivateKey(value)) {
    throw new ChainFunctionError('privateKey must be a secp256k1 private key: 0x and 64 hex digits.')
  }
  return value
}

/** Returns the address of a private key in lower case: `addressOf(privateKey)`. */
export const addressOf: ChainFunction = ([privateKey]) =>
  addr.fromPrivateKey(privateKeyFrom(privateKey)).toLowerCase()

/** Returns the address of the contract that a transaction creates: `contractAddress(from, nonce)`. */
export const contractAddress: ChainFunction = ([from, nonce]) =>
  addr.getCreateAddress(hexOf(from, 'from', 20), amountOf(nonce, 'nonce')).toLowerCase()
