/** A member of a list: the bytes of a string, as a view; undefined for a list, whose inside is not read. */
export type RlpMember = Uint8Array | undefined

/** No type of transaction has half as many fields. */
const membersMost = 32

/** First bytes from here on stand in front of a string, or of a list; those below are a string of one byte. */
const strings = 0x80
const lists = 0xc0

/** Maximum length, in bytes, of strings and lists whose header is one byte. Longer headers also have the length. */
const shortMost = 55

/**
 * Reads the outer list of a text in RLP, the encoding of transactions. Its members are found by their lengths, so the
 * time does not depend on what is nested in them, and nothing is copied.
 * @returns undefined for bytes that are not exactly one list, for a length that is not in its shortest form, and for
 *   more than 32 members
 */
export function rlpList(bytes: Uint8Array): readonly RlpMember[] | undefined {
  const outer = itemAt(bytes, 0)
  if (outer === undefined || !outer.isList || outer.end !== bytes.length) return undefined
  const members: RlpMember[] = []
  for (let at = outer.start; at < bytes.length; ) {
    const member = members.length < membersMost ? itemAt(bytes, at) : undefined
    if (member === undefined) return undefined
    members.push(member.isList ? undefined : bytes.subarray(member.start, member.end))
    at = member.end
  }
  return members
}

interface Item {
  readonly isList: boolean
  /** Where its content begins and ends. */
  readonly start: number
  readonly end: number
}

/** The item that begins at a place; undefined where it is not whole, or not in its shortest form. */
function itemAt(bytes: Uint8Array, at: number): Item | undefined {
  const first = bytes[at]
  if (first === undefined) return undefined
  if (first < strings) return { isList: false, start: at, end: at + 1 }
  const isList = first >= lists
  const short = first - (isList ? lists : strings)
  const digits = Math.max(0, short - shortMost)
  const start = at + 1 + digits
  const length = digits === 0 ? short : longLength(bytes, at + 1, start)
  if (length === undefined || start + length > bytes.length) return undefined
  const isByteAlone = !isList && short === 1 && (bytes[start] ?? 0) < strings
  return isByteAlone ? undefined : { isList, start, end: start + length }
}

/** A length of several digits, in base 256; undefined where one digit or fewer would do. */
function longLength(bytes: Uint8Array, from: number, to: number): number | undefined {
  if (to > bytes.length || bytes[from] === 0) return undefined
  let length = 0
  for (let at = from; at < to; at++) length = length * 256 + (bytes[at] ?? 0)
  return length > shortMost ? length : undefined
}
