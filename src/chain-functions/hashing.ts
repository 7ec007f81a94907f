import { keccak_256 } from '@noble/hashes/sha3.js'
import { bytesToHex, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js'
import type { ChainFunction } from './chain-function.js'
import { hexOf, textOf } from './input.js'

/** The bytes that a hexadecimal string with `0x` stands for. */
export const toBytes = (hex: string): Uint8Array => hexToBytes(hex.slice(2))

/** Bytes in hexadecimal, lower case, with `0x`. */
export const fromBytes = (bytes: Uint8Array): string => `0x${bytesToHex(bytes)}`

/** Keccak-256 of bytes in hexadecimal, `keccak256(data)`. Specification 4, `web3_sha3`. */
export const keccak256: ChainFunction = ([data]) => fromBytes(keccak_256(toBytes(hexOf(data, 'data'))))

/**
 * A throw-away private key, `privateKeyOf(text)`: the Keccak-256 of the text, so the same text gives the same key. For
 * senders that own nothing; everybody can compute it, so nothing of value may ever belong to it.
 */
export const privateKeyOf: ChainFunction = ([text]) =>
  fromBytes(keccak_256(utf8ToBytes(textOf(text, 'text'))))
