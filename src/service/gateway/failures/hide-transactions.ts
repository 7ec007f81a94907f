import { keccak_256 } from '@noble/hashes/sha3.js'
import { fromBytes, toBytes } from '../ethereum/index.js'

/** Fewest bytes of a signed transaction: its signature has 64, with a few leading zeros less. */
const BYTES_LEAST = 64
/** Most bytes of a transaction that nodes accept. */
const BYTES_MOST = 131_072
const HEX_MOST = 2 * BYTES_MOST
const hexRuns = new RegExp(`(?:0x)?[0-9a-f]{${2 * BYTES_LEAST},}`, 'gi')
/** First byte of an RLP list whose length follows in one byte; each next one has a byte more (Ethereum, yellow paper, B). */
const LONG_LIST = 0xf8
const LENGTH_BYTES_MOST = 3
/** Types of transactions end here (EIP-2718). */
const TYPE_MOST = 0x7f
/** Bytes that a copied transaction may lack: fewer than somebody could not guess. */
const LOST_MOST = 8

/** A text without signed transactions, of which who has one can send it. */
export interface HiddenText {
  readonly text: string
  readonly isChanged: boolean
}

/**
 * Replaces what looks like a signed transaction by its hash, wherever it stands in a text, with or without `0x`. It may
 * have bytes too many or too few, because others can repair it.
 * @param most characters of the text that are kept; a transaction that begins in them is read to its end
 */
export function hideTransactions(whole: string, most: number): HiddenText {
  if (whole.length < 2 * BYTES_LEAST) return { text: whole, isChanged: false }
  let text = ''
  let at = 0
  const read = whole.slice(0, most + HEX_MOST)
  for (const run of read.matchAll(hexRuns)) {
    if (run.index > most) break
    const hidden = hiddenRun(run[0])
    if (hidden === undefined) continue
    text += read.slice(at, run.index) + hidden
    at = run.index + run[0].length
  }
  return { text: (text + read.slice(at)).slice(0, most), isChanged: at > 0 }
}

/** What stands for a run of hexadecimal digits; undefined if it looks like no transaction. */
function hiddenRun(run: string): string | undefined {
  const digits = run.replace(/^0x/i, '')
  const bytes = toBytes(`0x${digits.slice(0, digits.length - (digits.length % 2))}`)
  // A digit in front of it shifts all bytes.
  const shifted = toBytes(`0x${digits.slice(1, digits.length - ((digits.length + 1) % 2))}`)
  if (![bytes, shifted].some(isLikeTransaction)) return undefined
  return bytes.length < BYTES_MOST ? fromBytes(keccak_256(bytes)) : 'not stored: a long transaction'
}

/** True for bytes that begin with a list of the right length, or with a type and such a list. */
function isLikeTransaction(bytes: Uint8Array): boolean {
  const [first = 0] = bytes
  return beginsLikeList(bytes, 0) || (first <= TYPE_MOST && beginsLikeList(bytes, 1))
}

function beginsLikeList(bytes: Uint8Array, at: number): boolean {
  const digits = (bytes[at] ?? 0) - LONG_LIST + 1
  if (digits < 1 || digits > LENGTH_BYTES_MOST) return false
  const start = at + 1 + digits
  const length = bytes.subarray(at + 1, start).reduce((sum, digit) => sum * 256 + digit, 0)
  return length >= BYTES_LEAST && length <= bytes.length - start + LOST_MOST
}
