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

/** Members as the contract writes them: quantities minimal, hexadecimal digits in lower case, other chains' left out. */
function members(object: JsonObject, left: ReadonlySet<string> = foreign): JsonObject {
  const made: { [member: string]: JsonValue } = {}
  for (const [name, value] of Object.entries(object)) {
    if (left.has(name) || value === undefined) continue
    made[name] = quantities.has(name) && value !== null ? (quantity(value) ?? value) : lowerCase(value)
  }
  return made
}

/** Hexadecimal strings in lower case, also in lists; everything else as it is. */
function lowerCase(value: JsonValue): JsonValue {
  if (isList(value)) return value.map(lowerCase)
  return isHex(value) ? value.toLowerCase() : value
}

/**
 * Normalises a transaction (specification 2.5).
 * @param transaction as the node answers it
 * @param isPending forces its place in the chain to null; a transaction without block has none anyhow
 */
export function transaction(transaction: JsonObject, isPending = false): JsonObject {
  const made = members(transaction)
  const hasPlace = !isPending && (made['blockHash'] ?? null) !== null
  return { to: null, ...made, ...(hasPlace ? {} : pendingTransaction) }
}

/**
 * Normalises a block (specification 2.4) with its transactions, be they hashes or objects.
 * @param block as the node answers it
 * @param isPending forces the members that a pending block does not have to null
 */
export function block(block: JsonObject, isPending: boolean): JsonObject {
  const { transactions, ...rest } = block
  const made = members(rest, blockForeign)
  const list = isList(transactions) ? transactions : []
  return {
    ...made,
    transactions: list.map((entry) => (isObject(entry) ? transaction(entry, isPending) : lowerCase(entry))),
    ...(isPending ? pendingBlock : {}),
  }
}

/** Normalises a log (specification 2.7). */
export const log = (log: JsonObject): JsonObject => members(log)

/** Normalises a list of logs; undefined when it is no list. */
export const logs = (list: JsonValue): JsonValue | undefined =>
  isList(list) ? list.map((entry) => (isObject(entry) ? log(entry) : entry)) : undefined

/** Normalises a receipt (specification 2.6): `contractAddress` is null where nothing was created. */
export function receipt(receipt: JsonObject): JsonObject {
  const { logs: list, ...rest } = receipt
  return { contractAddress: null, to: null, ...members(rest), logs: logs(list ?? []) ?? [] }
}
