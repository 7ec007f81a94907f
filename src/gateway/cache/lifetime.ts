import type { JsonValue } from '../../rpc/index.js'
import { isHash, isList, isQuantity } from '../ethereum/hex.js'
import type { MethodProfile } from '../profiles/method-profile.js'

/**
 * For how long an answer is good: `kept` for what cannot change any more, `head` until there is a new block or this
 * process sends a transaction, `never`.
 */
export type Lifetime = 'kept' | 'head' | 'never'

/**
 * Says for how long the answer to a call is good at most, before it is known.
 * @param head number of the most recent block; undefined when none is known
 * @param finalityDepth blocks; what is deeper cannot change
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
 * Says for how long an answer is good, now that it is known: a missing object is not remembered, and an empty list no
 * longer than until the next block.
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
