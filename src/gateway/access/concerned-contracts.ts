import type { JsonValue } from '../../rpc/index.js'
import { fromBytes, isList, isObject, toBytes } from '../hex.js'
import { rlpList } from '../rlp-list.js'

/** Where the receiver stands in a signed transaction, by its type (EIP-2718); a legacy one has none. */
const receiverAt: Readonly<Record<number, number>> = { 1: 4, 2: 5, 3: 5, 4: 5 }
const legacyReceiverAt = 3

/** A first byte from here on begins a list, and that is a legacy transaction. */
const lists = 0xc0

/**
 * The addresses that a list of contracts is held against (specification 5.5), in lower case: the receiver of calls and
 * transactions, the addresses of filters, and the account whose code, balance or storage is asked for.
 * @returns undefined for methods that concern no contract; an empty list where a call names none, and would reach any
 */
export function concernedContracts(
  method: string,
  params: readonly JsonValue[],
): readonly string[] | undefined {
  const [first] = params
  switch (method) {
    case 'eth_call':
    case 'eth_estimateGas':
      return addresses(isObject(first) ? first['to'] : undefined)
    case 'eth_getLogs':
      return addresses(isObject(first) ? first['address'] : undefined)
    case 'eth_getBalance':
    case 'eth_getCode':
    case 'eth_getStorageAt':
      return addresses(first)
    case 'eth_sendRawTransaction':
      return receiver(toBytes(String(first)))
    default:
      return undefined
  }
}

function addresses(value: JsonValue | undefined): readonly string[] {
  const given = isList(value) ? value : [value]
  return given.flatMap((each) => (typeof each === 'string' ? [each.toLowerCase()] : []))
}

/** The receiver of a signed transaction; none for one that makes a contract, and for bytes that cannot be read. */
function receiver(bytes: Uint8Array): readonly string[] {
  const type = bytes[0] ?? 0
  const isLegacy = type >= lists
  const at = isLegacy ? legacyReceiverAt : receiverAt[type]
  const to = at === undefined ? undefined : rlpList(isLegacy ? bytes : bytes.subarray(1))?.[at]
  return to instanceof Uint8Array && to.length > 0 ? [fromBytes(to)] : []
}
