import type { JsonValue } from '../../../rpc/index.js'
import { fromBytes, isList, toBytes } from '../../ethereum/hex.js'
import { rlpList } from '../../ethereum/rlp-list.js'
import { readParam } from '../../profiles/call-subject.js'
import { type ContractPlace, statedMethods } from '../../profiles/method-profile.js'

/** Where the receiver stands in a signed transaction, by its type (EIP-2718); a legacy one has none. */
const receiverAt: Readonly<Record<number, number>> = { 1: 4, 2: 5, 3: 5, 4: 5 }
const legacyReceiverAt = 3

/** A first byte from here on begins a list, and that is a legacy transaction. */
const lists = 0xc0

/** Reads the addresses at one place, in lower case. */
type ReadPlace = (params: readonly JsonValue[]) => readonly string[]

const places: ReadonlyMap<string, readonly ReadPlace[]> = new Map(
  Object.values(statedMethods).map(({ name, params, extensions }) => {
    const names = params.map((param) => param.name)
    return [name, extensions['x-contract-addresses'].map((place) => readPlace(names, place))]
  }),
)

/** A method that the contract does not have is checked as one whose addresses cannot be found. */
const unknownMethod: readonly ReadPlace[] = [() => []]

/**
 * Finds the addresses that a key's list of contracts is checked against (specification 5.5, `x-contract-addresses`).
 * @param params positional and valid
 * @returns the addresses of each place, in lower case, none where the call leaves the place empty; no places for a
 *   method that concerns no contract
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

/** Addresses in lower case; what is no address is an empty text, which is on no list. */
function addresses(value: JsonValue | undefined): readonly string[] {
  if (value === undefined || value === null) return []
  const given = isList(value) ? value : [value]
  return given.map((each) => (typeof each === 'string' ? each.toLowerCase() : ''))
}

/** The receiver of a signed transaction; none for one that makes a contract, and for bytes that cannot be read. */
function receiver(bytes: Uint8Array): readonly string[] {
  const type = bytes[0] ?? 0
  const isLegacy = type >= lists
  const at = isLegacy ? legacyReceiverAt : receiverAt[type]
  const to = at === undefined ? undefined : rlpList(isLegacy ? bytes : bytes.subarray(1))?.[at]
  return to instanceof Uint8Array && to.length > 0 ? [fromBytes(to)] : []
}
