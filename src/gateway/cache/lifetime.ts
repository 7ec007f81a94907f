import type { JsonValue } from '../../rpc/index.js'
import { isHash, isList, isQuantity } from '../ethereum/hex.js'
import type { MethodProfile } from '../profiles/method-profile.js'

/**
 * How long an answer is cached: `kept` for final data, `head` until a new block arrives or this process sends a
 * transaction, `never` otherwise.
 */
export type Lifetime = 'kept' | 'head' | 'never'

/**
 * Returns how long the answer to a call may be cached at most, before the answer is known.
 * @param head number of the most recent block; undefined when none is known
 * @param finalityDepth depth in blocks from which data is final
 */
export function lifetimeOf(
  { about, cache }: MethodProfile,
  params: readonly JsonValue[],
  head: bigint | undefined,
  finalityDepth: number,
): Lifetime {
  const selector = about.kind === 'block' ? about.selector(params) : 'latest'
  if (cache === 'never' || selector === 'pending') return 'never'
  if (cache === 'head') return 'head'
  if (about.kind === 'transaction') return 'kept'
  const number = selector === 'earliest' ? '0x0' : selector
  if (isHash(number)) return 'kept'
  return isQuantity(number) && isDeep(number, head, finalityDepth) ? 'kept' : 'head'
}

/**
 * Returns how long a known answer may be cached. A missing object is not cached, and an empty list only until the next
 * block.
 */
export function lifetimeOfResult(
  { about }: MethodProfile,
  longest: Lifetime,
  result: JsonValue,
  head: bigint | undefined,
  finalityDepth: number,
): Lifetime {
  if (result === null || longest === 'never') return 'never'
  if (isList(result) && result.length === 0) return 'head'
  if (about.kind !== 'transaction') return longest
  const number = about.number(result)
  if (!isQuantity(number)) return 'never'
  return isDeep(number, head, finalityDepth) ? longest : 'head'
}

function isDeep(number: string, head: bigint | undefined, finalityDepth: number): boolean {
  return head !== undefined && head - BigInt(number) > BigInt(finalityDepth)
}
