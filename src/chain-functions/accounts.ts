import { addr } from 'micro-eth-signer'
import { type ChainFunction, ChainFunctionError } from './chain-function.js'
import { amountOf, hexOf } from './input.js'

/** Reads a private key; what it was is not told, since it may be worth something. */
export function privateKeyFrom(value: Parameters<ChainFunction>[0][number] | undefined): string {
  if (typeof value !== 'string' || !addr.isValidPrivateKey(value)) {
    throw new ChainFunctionError(
      'privateKey must be a private key of secp256k1: 32 bytes in hexadecimal after 0x.',
    )
  }
  return value
}

/** The address that a private key signs for, in lower case: `addressOf(privateKey)`. */
export const addressOf: ChainFunction = ([privateKey]) =>
  addr.fromPrivateKey(privateKeyFrom(privateKey)).toLowerCase()

/** The address of the contract that a sender's transaction creates: `contractAddress(from, nonce)`. */
export const contractAddress: ChainFunction = ([from, nonce]) =>
  addr.getCreateAddress(hexOf(from, 'from', 20), amountOf(nonce, 'nonce')).toLowerCase()
