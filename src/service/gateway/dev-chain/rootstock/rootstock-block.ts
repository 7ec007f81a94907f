import type { JsonObject, JsonValue } from '@concordat/rpc'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { fromBytes, isList, isObject, toQuantity } from '../../ethereum/index.js'
import { minimumGasPrice } from '../seed/seed-facts.js'

/** Invented difficulty of the first block, and its increase per block. */
const firstDifficulty = 0x10_0000n
const difficultyStep = 0x10n

const difficultyOf = (number: bigint) => firstDifficulty + difficultyStep * number

/** Sum of the difficulties up to and including this block. */
const difficultyUpTo = (number: bigint) =>
  (number + 1n) * firstDifficulty + (difficultyStep * number * (number + 1n)) / 2n

/**
 * Adds the members of a Rootstock block to anvil's block (specification 2.4). They are derived from the block's hash and
 * number, so they are the same for every method and at every start.
 * @param block block from anvil
 * @param paidFees fees of the block's transactions, in wei
 */
export function rootstockBlock(block: JsonObject, paidFees: bigint): JsonObject {
  const number = BigInt(String(block['number']))
  const seed = String(block['hash'])
  const difficulty = toQuantity(difficultyOf(number))
  const totalDifficulty = toQuantity(difficultyUpTo(number))
  return {
    ...block,
    difficulty,
    totalDifficulty,
    transactions: transactionsOf(block['transactions']),
    uncles: [],
    minimumGasPrice: toQuantity(minimumGasPrice),
    ...mergedMining(seed, number, String(block['timestamp'])),
    paidFees: toQuantity(paidFees),
    cumulativeDifficulty: totalDifficulty,
    mixHash: `0x${'0'.repeat(64)}`,
    nonce: `0x${'0'.repeat(16)}`,
  }
}

const transactionsOf = (list: JsonValue | undefined): JsonValue =>
  isList(list) ? list.map((entry) => (isObject(entry) ? rootstockTransaction(entry) : entry)) : []

/**
 * Creates the merged-mining members in Rootstock's format: a header of 80 bytes, a coinbase transaction with `RSKBLOCK:`
 * and the hash for merged mining, and a Merkle proof of two levels.
 */
function mergedMining(blockHash: string, number: bigint, timestamp: string) {
  const digits = (label: string) => fromBytes(keccak_256(Buffer.from(`${label} ${blockHash}`))).slice(2)
  const hashForMergedMining = digits('merged mining').slice(0, 56) + number.toString(16).padStart(8, '0')
  const time = Buffer.alloc(4)
  time.writeUInt32LE(Number(timestamp) >>> 0)
  const version = '00000020'
  const target = 'ffff7f20'
  const nonce = digits('nonce').slice(0, 8)
  const header = version + digits('parent') + digits('merkle root') + time.toString('hex') + target + nonce
  const tag = Buffer.from('RSKBLOCK:').toString('hex')
  return {
    bitcoinMergedMiningHeader: `0x${header}`,
    bitcoinMergedMiningCoinbaseTransaction: `0x${digits('coinbase')}6a29${tag}${hashForMergedMining}00000000`,
    bitcoinMergedMiningMerkleProof: `0x${digits('proof 1')}${digits('proof 2')}`,
    hashForMergedMining: `0x${hashForMergedMining}`,
  }
}

/**
 * Converts anvil's transaction to that of a Rootstock node (specification 2.5).
 * @param transaction transaction from anvil
 */
export const rootstockTransaction = (transaction: JsonObject): JsonObject => ({
  ...transaction,
  r: padded(transaction['r']),
  s: padded(transaction['s']),
})

/** Pads a part of the signature to 32 bytes (specification 2.5); anvil omits leading zeros. */
const padded = (part: JsonValue | undefined): JsonValue =>
  typeof part === 'string' ? `0x${part.slice(2).padStart(64, '0')}` : null
