import { keccak_256 } from '@noble/hashes/sha3.js'
import { fromBytes, toBytes } from '../ethereum/index.js'

/** Minimum size of a signed transaction, in bytes. The signature alone has 64, without a few leading zeros. */
const BYTES_LEAST = 64
/** Maximum size of a transaction that nodes accept, in bytes. */
const BYTES_MOST = 131_072
const HEX_MOST = 2 * BYTES_MOST
const hexRuns = new RegExp(`(?:0x)?[0-9a-f]{${2 * BYTES_LEAST},}`, 'gi')
/** First byte of an RLP list with a length of one byte. Each higher value adds a byte (yellow paper, appendix B). */
const LONG_LIST = 0xf8
const LENGTH_BYTES_MOST = 3
/** Highest transaction type (EIP-2718). */
const TYPE_MOST = 0x7f
/** Maximum number of missing bytes at which a transaction is still replaced, because they could be guessed. */
const LOST_MOST = 8

/** A text without signed transactions. Anyone with a signed transaction can send it. */
export interface HiddenText {
  readonly text: string
  readonly isChanged: boolean
}

/**
 * Replaces everything that looks like a signed transaction by its hash, anywhere in a text, with or without `0x`. This
 * includes transactions with extra bytes or a few missing bytes, because someone who reads the log could restore them.
 * @param most maximum length of the result, in characters; a transaction that begins within it is read to its end
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

/** Returns the replacement of a run of hexadecimal digits; undefined if it does not look like a transaction. */
function hiddenRun(run: string): string | undefined {
  const digits = run.replace(/^0x/i, '')
  const bytes = toBytes(`0x${digits.slice(0, digits.length - (digits.length % 2))}`)
  // An extra leading digit shifts all bytes.
  const shifted = toBytes(`0x${digits.slice(1, digits.length - ((digits.length + 1) % 2))}`)
  if (![bytes, shifted].some(isLikeTransaction)) return undefined
  return bytes.length < BYTES_MOST ? fromBytes(keccak_256(bytes)) : 'not stored: a long transaction'
}

/** True for bytes that begin with an RLP list of a plausible length, or with a transaction type and such a list. */
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
