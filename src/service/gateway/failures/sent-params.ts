import type { JsonValue } from '@concordat/rpc'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { fromBytes, isList, toBytes } from '../ethereum/index.js'
import { statedMethods } from '../profiles/index.js'
import { hideTransactions } from './hide-transactions.js'

/** The parameters of a failed call, as JSON text. */
export interface SentParams {
  readonly text: string
  /** True if the text is the beginning of longer parameters, or has values that stand for others. */
  readonly isPart: boolean
}

const hexBytes = /^0x(?:[0-9a-f]{2})+$/i

/** The places of signed transactions in the parameters, by method (`x-contract-addresses`). */
const transactionPlaces: ReadonlyMap<string, readonly number[]> = new Map(
  Object.values(statedMethods).map(({ name, params, extensions }) => [
    name,
    extensions['x-contract-addresses'].flatMap((place) =>
      typeof place === 'object' ? [params.findIndex((param) => `/${param.name}` === place.receiverOf)] : [],
    ),
  ]),
)

/**
 * Formats the parameters of a call. Replaces everything that looks like a signed transaction by its hash, and also
 * every value at a place where the method takes one. Anyone with a signed transaction can send it.
 * @param method name of a method of the contract
 * @param mostBytes maximum size of the text in bytes
 * @returns undefined without parameters, and for named parameters of a method that takes a signed transaction
 */
export function sentParams(
  method: string,
  params: JsonValue | undefined,
  mostBytes: number,
): SentParams | undefined {
  if (params === undefined) return undefined
  const secret = transactionPlaces.get(method) ?? []
  if (secret.length === 0) return boundedJson(params, mostBytes)
  if (!isList(params)) return undefined
  const shown = params.map((value, place) => (secret.includes(place) ? hashOf(value) : value))
  return { ...boundedJson(shown, mostBytes), isPart: true }
}

/** Returns the hash of a signed transaction (Keccak-256 of its bytes), or a description of another value. */
function hashOf(value: JsonValue): JsonValue {
  if (typeof value === 'string' && hexBytes.test(value)) return fromBytes(keccak_256(toBytes(value)))
  return typeof value === 'string' ? `not bytes: ${value.length} characters` : `not bytes: ${typeof value}`
}

/** Writes a value as JSON until it has more bytes than the bound, so that a large value costs no more than a small one. */
function boundedJson(value: JsonValue, mostBytes: number): SentParams {
  let text = ''
  let isChanged = false
  const shown = (part: string) => {
    const hidden = hideTransactions(part, mostBytes + 1)
    isChanged ||= hidden.isChanged
    return JSON.stringify(hidden.text)
  }
  const isFull = () => text.length > mostBytes
  const write = (part: JsonValue | undefined): void => {
    if (isFull()) return
    if (typeof part === 'string') text += shown(part)
    else if (typeof part !== 'object' || part === null) text += JSON.stringify(part ?? null)
    else if (isList(part)) writeAll('[', part, write, ']')
    else
      writeAll(
        '{',
        Object.keys(part),
        (name) => {
          text += `${shown(name)}:`
          write(part[name])
        },
        '}',
      )
  }
  function writeAll<Part>(
    begin: string,
    parts: readonly Part[],
    writePart: (part: Part) => void,
    end: string,
  ) {
    text += begin
    for (const [place, part] of parts.entries()) {
      if (isFull()) return
      if (place > 0) text += ','
      writePart(part)
    }
    text += end
  }
  write(value)
  const bytes = Buffer.from(text)
  if (bytes.length <= mostBytes) return { text, isPart: isChanged }
  // A character that the bound divides is left out.
  return {
    text: bytes
      .subarray(0, mostBytes)
      .toString()
      .replace(/\uFFFD+$/, ''),
    isPart: true,
  }
}
