import type { JsonValue } from '@concordat/rpc'
import { fromBytes, isList, rlpList, toBytes } from '../../ethereum/index.js'
import { type ContractPlace, readParam, statedMethods } from '../../profiles/index.js'

/** Index of the receiver in a signed transaction's fields, by transaction type (EIP-2718). */
const receiverIndex: Readonly<Record<number, number>> = { 1: 4, 2: 5, 3: 5, 4: 5 }
/** Legacy transactions have no type. */
const legacyReceiverIndex = 3

/** RLP lists start with a byte of at least this value. A transaction that starts so is a legacy transaction. */
const firstListByte = 0xc0

/** Reads the addresses at one place of the parameters, in lower case. */
type ReadPlace = (params: readonly JsonValue[]) => readonly string[]

const places: ReadonlyMap<string, readonly ReadPlace[]> = new Map(
  Object.values(statedMethods).map(({ name, params, extensions }) => {
    const names = params.map((param) => param.name)
    return [name, extensions['x-contract-addresses'].map((place) => readPlace(names, place))]
  }),
)

/** An unknown method has one place without an address, so a key with a contract list refuses it. */
const unknownMethod: readonly ReadPlace[] = [() => []]

/**
 * Finds the addresses of a call that a key's contract list applies to (specification 5.5, `x-contract-addresses`).
 * @param params positional and valid
 * @returns for each place that can hold addresses, the addresses found there, in lower case. The outer list is empty
 *   for methods without such places.
 */
export function concernedContracts(
  method: string,
  params: readonly JsonValue[],
): readonly (readonly string[])[] {
  return (places.get(method) ?? unknownMethod).map((read) => read(params))
}

/** @param names the parameters' names, by position */
function readPlace(names: readonly string[], place: ContractPlace): ReadPlace {
  const isReceiver = typeof place === 'object'
  const valueIn = readParam(names, isReceiver ? place.receiverOf : place)
  return isReceiver
    ? (params) => receiver(toBytes(String(valueIn(params))))
    : (params) => addresses(valueIn(params))
}

/** The addresses in lower case. A value of another type becomes the empty string, which no list contains. */
function addresses(value: JsonValue | undefined): readonly string[] {
  if (value === undefined || value === null) return []
  const given = isList(value) ? value : [value]
  return given.map((address) => (typeof address === 'string' ? address.toLowerCase() : ''))
}

/** The receiver of a signed transaction; empty for contract creations and for unreadable bytes. */
function receiver(bytes: Uint8Array): readonly string[] {
  const type = bytes[0] ?? 0
  const isLegacy = type >= firstListByte
  const index = isLegacy ? legacyReceiverIndex : receiverIndex[type]
  const to = index === undefined ? undefined : rlpList(isLegacy ? bytes : bytes.subarray(1))?.[index]
  return to instanceof Uint8Array && to.length > 0 ? [fromBytes(to)] : []
}
