import type { JsonValue } from '@concordat/rpc'
import { isHash, isQuantity } from '../ethereum/index.js'
import type { CallSubject, MethodProfile } from '../profiles/index.js'

/**
 * Returns the lowest head with which a node can answer a call correctly. It is the network's head for calls
 * about the most recent block, the block itself for older blocks, and 0 for other calls.
 * @param latest number of the network's most recent block
 */
export function neededHead(about: CallSubject, params: readonly JsonValue[], latest: number): number {
  if (about.kind === 'head') return latest
  if (about.kind !== 'block') return 0
  const selector = about.selector(params)
  if (isNewest(selector)) return latest
  return isQuantity(selector) && !isHash(selector) ? Math.min(Number(selector), latest) : 0
}

/** True for the tags of the newest blocks: every node has these blocks and their state. */
export const isNewest = (selector: JsonValue) => selector === 'latest' || selector === 'pending'

/** Data that a node may have pruned or never had: the state of an older block, or the block itself. */
export interface OlderData {
  readonly kind: 'state' | 'block'
  /** The block as the call names it. */
  readonly selector: JsonValue
  /** Its number; undefined where a null result does not show that the node lacks the block. */
  readonly number: number | undefined
}

/**
 * The older data that a call needs; undefined for the state of a block named by hash, and for other calls.
 */
export function olderData(
  { about, missing }: MethodProfile,
  params: readonly JsonValue[],
): OlderData | undefined {
  if (about.kind !== 'block' || missing === undefined) return undefined
  const selector = about.selector(params)
  if (isNewest(selector)) return undefined
  const isOfBlock = missing === 'object'
  if (isOfBlock && (isHash(selector) || about.index !== undefined))
    return { kind: 'block', selector, number: undefined }
  const number = selector === 'earliest' ? 0 : Number(selector)
  if (isHash(selector) || !Number.isSafeInteger(number)) return undefined
  return { kind: isOfBlock ? 'block' : 'state', selector, number }
}

/** The block that an answer reveals about the node's chain. */
export interface ReportedHead {
  /** The node has this block. */
  readonly number: number
  /** The hash of the block, when the answer contains it. */
  readonly hash: string | undefined
  /** True for the node's most recent block. */
  readonly isLatest: boolean
}

/**
 * Reads a block of the node's chain from an answer; undefined for an answer without a block.
 * @param result as the node sent it, because the contract's form of a pending block has no number
 */
export function reportedHead(
  about: CallSubject,
  params: readonly JsonValue[],
  result: JsonValue,
): ReportedHead | undefined {
  const number = about.number(result)
  if (!isQuantity(number) || !Number.isSafeInteger(Number(number))) return undefined
  const reported = { number: Number(number), hash: undefined, isLatest: about.kind === 'head' }
  if (about.kind !== 'block') return reported
  const selector = about.selector(params)
  const isLatest = selector === 'latest'
  // The pending block is on top of a block that the node has.
  if (selector === 'pending') return { ...reported, number: reported.number - 1 }
  // A block named by its hash may have left the chain in a reorganisation.
  if (isHash(selector)) return undefined
  const hash = about.hash(result)
  return { ...reported, hash: typeof hash === 'string' ? hash.toLowerCase() : undefined, isLatest }
}

/** Returns false for a result about another block or transaction than the requested one. */
export function matchesRequest(about: CallSubject, params: readonly JsonValue[], result: JsonValue): boolean {
  if (about.kind !== 'block' && about.kind !== 'transaction') return true
  const requested = about.selector(params)
  if (!isQuantity(requested)) return true
  const answered = isHash(requested) ? about.hash(result) : about.number(result)
  if (!isQuantity(answered)) return true
  return (
    answered.toLowerCase() === requested.toLowerCase() ||
    (!isHash(requested) && BigInt(answered) === BigInt(requested))
  )
}
