import type { JsonObject, JsonValue } from '../../rpc/index.js'
import { isHex, isList, isObject } from '../ethereum/hex.js'
import { quantity } from './normalise-scalar.js'

/** Members that are quantities wherever they occur. */
const quantities = new Set([
  'blockNumber',
  'cumulativeDifficulty',
  'cumulativeGasUsed',
  'difficulty',
  'effectiveGasPrice',
  'gas',
  'gasLimit',
  'gasPrice',
  'gasUsed',
  'logIndex',
  'minimumGasPrice',
  'nonce',
  'number',
  'paidFees',
  'size',
  'status',
  'timestamp',
  'totalDifficulty',
  'transactionIndex',
  'type',
  'v',
  'value',
])

/** Members of other chains that no object of this network has. */
const foreign = new Set([
  'accessList',
  'authorizationList',
  'baseFeePerGas',
  'blobGasPrice',
  'blobGasUsed',
  'blobVersionedHashes',
  'blockTimestamp',
  'excessBlobGas',
  'maxFeePerBlobGas',
  'maxFeePerGas',
  'maxPriorityFeePerGas',
  'mixHash',
  'parentBeaconBlockRoot',
  'removed',
  'requestsHash',
  'withdrawals',
  'withdrawalsRoot',
  'yParity',
])

const blockForeign = new Set([...foreign, 'nonce'])
const minedTransactions: Lists = { transactions: (entry) => transaction(entry) }
const pendingTransactions: Lists = { transactions: (entry) => transaction(entry, true) }
const pendingBlock = { number: null, hash: null, logsBloom: null }
const pendingTransaction = { blockHash: null, blockNumber: null, transactionIndex: null }

/** How members that are lists of objects are made. */
type Lists = Readonly<Record<string, (entry: JsonObject) => JsonObject>>

const noLists: Lists = {}

/**
 * Members as the contract writes them, in the node's order: quantities minimal, hexadecimal digits in lower case, other
 * chains' members left out. Most nodes write most of them so already: what needs no change is not copied.
 * @returns the object itself when nothing in it changes
 */
function members(
  object: JsonObject,
  left: ReadonlySet<string> = foreign,
  lists: Lists = noLists,
): JsonObject {
  let made: { [member: string]: JsonValue } | undefined
  for (const name in object) {
    const value = object[name]
    if (value === undefined) continue
    const kept = left.has(name) ? undefined : member(name, value, lists)
    if (made === undefined && kept === value) continue
    made ??= membersBefore(object, name)
    if (kept !== undefined) made[name] = kept
  }
  return made ?? object
}

/** Sets further members of an object; the node's own object is copied first, a copy is changed. */
const extended = (made: JsonObject, own: JsonObject, further: JsonObject): JsonObject =>
  Object.assign(made === own ? { ...own } : made, further)

function membersBefore(object: JsonObject, end: string): { [member: string]: JsonValue } {
  const made: { [member: string]: JsonValue } = {}
  for (const name in object) {
    if (name === end) break
    const value = object[name]
    if (value !== undefined) made[name] = value
  }
  return made
}

function member(name: string, value: JsonValue, lists: Lists): JsonValue {
  if (typeof value === 'string') return quantities.has(name) ? minimal(value) : lowerCaseText(value)
  if (isList(value)) {
    const make = Object.hasOwn(lists, name) ? lists[name] : undefined
    return make === undefined ? lowerCase(value) : each(value, make)
  }
  if (isObject(value)) return value
  return value !== null && quantities.has(name) ? (quantity(value) ?? value) : value
}

/** A list with its entries made; the list itself when none of them changes. */
function each(list: readonly JsonValue[], make: (entry: JsonObject) => JsonObject): readonly JsonValue[] {
  let made: JsonValue[] | undefined
  for (let at = 0; at < list.length; at++) {
    const entry = list[at] ?? null
    const kept = isObject(entry) ? make(entry) : lowerCase(entry)
    if (made === undefined && kept === entry) continue
    made ??= list.slice(0, at)
    made.push(kept)
  }
  return made ?? list
}

const DIGIT_0 = 0x30

/** A quantity without needless zeros; most are so already. */
function minimal(value: string): string {
  const isMinimal = value.startsWith('0x') && (value.length === 3 || value.charCodeAt(2) !== DIGIT_0)
  return isMinimal && value.length > 2 && value.toLowerCase() === value ? value : (quantity(value) ?? value)
}

/** A hexadecimal string in lower case, any other text as it is. */
function lowerCaseText(value: string): string {
  const lower = value.toLowerCase()
  return lower === value || !isHex(value) ? value : lower
}

/** Hexadecimal strings in lower case, also in lists; everything else as it is. */
function lowerCase(value: JsonValue): JsonValue {
  if (typeof value === 'string') return lowerCaseText(value)
  return isList(value) ? each(value, asItIs) : value
}

const asItIs = (entry: JsonObject) => entry

/**
 * Normalises a transaction (specification 2.5): `to` is null where a contract is created.
 * @param transaction as the node answers it
 * @param isPending forces its place in the chain to null; a transaction without block has none anyhow
 */
export function transaction(transaction: JsonObject, isPending = false): JsonObject {
  const made = members(transaction)
  const hasPlace = !isPending && (made['blockHash'] ?? null) !== null
  if (hasPlace && made['to'] !== undefined) return made
  return extended(made, transaction, { to: made['to'] ?? null, ...(hasPlace ? {} : pendingTransaction) })
}

/**
 * Normalises a block (specification 2.4) with its transactions, be they hashes or objects.
 * @param block as the node answers it
 * @param isPending forces the members that a pending block does not have to null
 */
export function block(block: JsonObject, isPending: boolean): JsonObject {
  const made = members(block, blockForeign, isPending ? pendingTransactions : minedTransactions)
  return isPending ? extended(made, block, pendingBlock) : made
}

/** Normalises a log (specification 2.7). */
export const log = (log: JsonObject): JsonObject => members(log)

const receiptLists: Lists = { logs: log }

/** Normalises a list of logs; undefined when it is no list. */
export const logs = (list: JsonValue): JsonValue | undefined => (isList(list) ? each(list, log) : undefined)

/** Normalises a receipt (specification 2.6): `contractAddress` and `to` are null where there is none. */
export function receipt(receipt: JsonObject): JsonObject {
  const made = members(receipt, foreign, receiptLists)
  if (made['contractAddress'] !== undefined && made['to'] !== undefined) return made
  return extended(made, receipt, { contractAddress: made['contractAddress'] ?? null, to: made['to'] ?? null })
}
