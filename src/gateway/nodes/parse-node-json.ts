import { limits } from '../../../generated/contract.js'
import { type JsonValue, scanJson } from '../../rpc/index.js'

/**
 * Values and members in an answer of a node, or in one of its logs. A block of Rootstock has about 10,000 at most, and a
 * receipt with 2,000 logs 45,000.
 */
const nodeValuesMost = 100_000

/** Members of one object. The largest, a block with the members of other chains, has about 40. */
const nodeMembersMost = 64

/**
 * Parses what a node sent, within bounds that are checked first: the contract's `nestingDepth`, the number of values, and
 * that of the members of each object.
 * @returns undefined for text that is no JSON or exceeds a bound
 */
export function parseNodeJson(text: string): JsonValue | undefined {
  const scan = scanJson(text, limits.nestingDepth, nodeValuesMost, nodeMembersMost)
  if (scan === 'tooDeep' || scan === 'tooManyValues') return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
