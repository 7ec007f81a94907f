import { keccak_256 } from '@noble/hashes/sha3.js'
import { bytesToHex, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js'
import type { ChainFunction } from './chain-function.js'
import { hexOf, textOf } from './input.js'

/** Converts a hex string with `0x` to bytes. */
export const toBytes = (hex: string): Uint8Array => hexToBytes(hex.slice(2))

/** Converts bytes to lower-case hex with `0x`. */
export const fromBytes = (bytes: Uint8Array): string => `0x${bytesToHex(bytes)}`

/** Returns the Keccak-256 hash of bytes as hex: `keccak256(data)` (specification 4, `web3_sha3`). */
export const keccak256: ChainFunction = ([data]) => fromBytes(keccak_256(toBytes(hexOf(data, 'data'))))

/**
 * Derives a throw-away private key from a text: `privateKeyOf(text)`, its Keccak-256 hash. Anyone can compute
 * this key, so it must never own anything of value.
 */
export const privateKeyOf: ChainFunction = ([text]) =>
  fromBytes(keccak_256(utf8ToBytes(textOf(text, 'text'))))
