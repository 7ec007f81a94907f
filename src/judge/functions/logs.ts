import { keccak_256 } from '@noble/hashes/sha3.js'
import type { ChainFunction, JsonObject, JsonValue } from './chain-function.js'
import { fromBytes, toBytes } from './hashing.js'
import { amountOf, hexOf, listOf, objectOf } from './input.js'

/** The eight members of a log (specification 2.7). */
const logMembers = [
  'logIndex',
  'transactionIndex',
  'transactionHash',
  'blockHash',
  'blockNumber',
  'address',
  'data',
  'topics',
] as const

const eachLog = (list: JsonValue | undefined): readonly JsonObject[] =>
  listOf(list, 'the logs').map((log) => objectOf(log, 'each log'))

/**
 * Finds the first log whose predecessor in the same block has another transaction:
 * `firstOfLaterTransaction(logs)`. Its transaction cannot be the first of the block, regardless of its stated
 * position.
 * @returns a list with this log, or an empty list
 */
export const firstOfLaterTransaction: ChainFunction = ([list]) => {
  const logs = eachLog(list)
  const later = logs.find((log, at) => {
    const before = logs[at - 1]
    return (
      before?.['blockHash'] === log['blockHash'] && before?.['transactionHash'] !== log['transactionHash']
    )
  })
  return later === undefined ? [] : [later]
}

/** Removes all but the eight standard members of a log: `bareLog(log)` (specification 2, 2.7). */
export const bareLog: ChainFunction = ([log]) => {
  const members = objectOf(log, 'the log')
  return Object.fromEntries(logMembers.map((name) => [name, members[name] ?? null]))
}

/** Sorts logs by block number and `logIndex`: `inOrder(logs)`. */
export const inOrder: ChainFunction = ([logs]) =>
  [...eachLog(logs)].sort(
    (left, right) => compare(left, right, 'blockNumber') || compare(left, right, 'logIndex'),
  )

function compare(left: JsonObject, right: JsonObject, member: string): number {
  const difference = amountOf(left[member], member) - amountOf(right[member], member)
  return difference < 0n ? -1 : Number(difference > 0n)
}

/** Size of a bloom filter in bytes. */
const bloomBytes = 256

/**
 * Adds the addresses and topics of logs to a bloom filter: `bloomWith(bloom, logs)`. The filter is unchanged
 * if it already contains them. Each value sets three bits, given by the first three byte pairs of its
 * Keccak-256 hash.
 */
export const bloomWith: ChainFunction = ([bloom, logs]) => {
  const bits = toBytes(hexOf(bloom, 'the bloom filter', bloomBytes))
  for (const log of eachLog(logs)) {
    const topics = listOf(log['topics'], 'topics').map((topic) => hexOf(topic, 'each topic', 32))
    for (const value of [hexOf(log['address'], 'address', 20), ...topics]) {
      const hash = keccak_256(toBytes(value))
      for (const pair of [0, 2, 4]) {
        const bit = (((hash[pair] ?? 0) << 8) | (hash[pair + 1] ?? 0)) & (8 * bloomBytes - 1)
        const byte = bloomBytes - 1 - (bit >> 3)
        bits[byte] = (bits[byte] ?? 0) | (1 << (bit & 7))
      }
    }
  }
  return fromBytes(bits)
}
