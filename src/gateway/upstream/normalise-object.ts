import type { JsonObject, JsonValue } from '../../rpc/index.js'
import { isHex, isList, isObject } from '../hex.js'
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
const pendingBlock = { number: null, hash: null, logsBloom: null }
const pendingTransaction = { blockHash: null, blockNumber: null, transactionIndex: null }

/**
 * Members as the contract writes them, in the node's order: quantities minimal, hexadecimal digits in lower case, other
 * chains' members left out.
 * @param lists how members that are lists of objects are made
 */
function members(
  object: JsonObject,
  left: ReadonlySet<string> = foreign,
  lists: Readonly<Record<string, (entry: JsonObject) => JsonObject>> = {},
): JsonObject {
  const made: { [member: string]: JsonValue } = {}
  for (const [name, value] of Object.entries(object)) {
    if (left.has(name) || value === undefined) continue
    const make = Object.hasOwn(lists, name) ? lists[name] : undefined
    if (make !== undefined && isList(value)) made[name] = each(value, make)
    else made[name] = quantities.has(name) && value !== null ? (quantity(value) ?? value) : lowerCase(value)
  }
  return made
}

/** Entries that are objects are made, the others are hashes. */
const each = (list: readonly JsonValue[], make: (entry: JsonObject) => JsonObject) =>
  list.map((entry) => (isObject(entry) ? make(entry) : lowerCase(entry)))

/** Hexadecimal strings in lower case, also in lists; everything else as it is. */
function lowerCase(value: JsonValue): JsonValue {
  if (isList(value)) return value.map(lowerCase)
  return isHex(value) ? value.toLowerCase() : value
}

/**
 * Normalises a transaction (specification 2.5): `to` is null where a contract is created.
 * @param transaction as the node answers it
 * @param isPending forces its place in the chain to null; a transaction without block has none anyhow
 */
export function transaction(transaction: JsonObject, isPending = false): JsonObject {
  const made = members(transaction)
  const hasPlace = !isPending && (made['blockHash'] ?? null) !== null
  return { ...made, to: made['to'] ?? null, ...(hasPlace ? {} : pendingTransaction) }
}

/**
 * Normalises a block (specification 2.4) with its transactions, be they hashes or objects.
 * @param block as the node answers it
 * @param isPending forces the members that a pending block does not have to null
 */
export function block(block: JsonObject, isPending: boolean): JsonObject {
  const made = members(block, blockForeign, { transactions: (entry) => transaction(entry, isPending) })
  return { ...made, ...(isPending ? pendingBlock : {}) }
}

/** Normalises a log (specification 2.7). */
export const log = (log: JsonObject): JsonObject => members(log)

/** Normalises a list of logs; undefined when it is no list. */
export const logs = (list: JsonValue): JsonValue | undefined => (isList(list) ? each(list, log) : undefined)

/** Normalises a receipt (specification 2.6): `contractAddress` and `to` are null where there is none. */
export function receipt(receipt: JsonObject): JsonObject {
  const made = members(receipt, foreign, { logs: log })
  return { ...made, contractAddress: made['contractAddress'] ?? null, to: made['to'] ?? null }
}
