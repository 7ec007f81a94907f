import type { JsonValue } from '@concordat/rpc'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { fromBytes, toBytes } from '../ethereum/index.js'

/** Answers web3_sha3: the Keccak-256 hash of bytes (specification 4). */
export const web3Sha3 = ([data]: readonly JsonValue[]): JsonValue =>
  fromBytes(keccak_256(toBytes(String(data))))
