import { failure } from '@concordat/node-access-contract/errors'
import type { NodeError } from '../../nodes/index.js'
import { callerError, nodeCodes } from '../error-for-caller.js'

/** Error codes of nodes for a request over their limits. */
const tooMuchCodes: ReadonlySet<number> = new Set([
  nodeCodes.limitExceeded,
  nodeCodes.executionTimeout,
  nodeCodes.overLimit,
])

/** Messages of nodes and providers about too many results or a too long range. */
const tooMuchWords =
  /exceed|more than|too (?:many|large|wide|big|long)|limited to|ranges? over|time[d -]*out|size limit/i

/** Messages about rate limits, often with the same codes. Splitting the range would make these worse. */
const tooOftenWords =
  /\brate|per (?:second|minute|day)|request count|too many requests|daily|quota|credit|capacity/i

/** The limit of logs in a message, such as `Filter returned more than 20000 logs`. */
const moreLogs = /more than ([\d,_]+) (?:logs|results|events|entries)/i

/** The limit of blocks in a message, such as `Cannot query more than 5000 blocks at once`. */
const mostBlocks = [
  /more than ([\d,_]+) blocks/i,
  /range(?:s? over|:| limit(?: of)?:?| of)? ([\d,_]+)(?![\dx-])/i,
  /limited to (?:an? )?([\d,_]+)/i,
]

/** Words of a refusal for the length of the range. */
const lengthWords = /\bblocks\b|block range|\brange/i

/** Words of a refusal for the size of the answer, which may mention a range, too. */
const sizeWords = /\blogs?\b|results|events|entries|response|size|time[d -]*out/i

export const isTooOften = ({ message }: NodeError): boolean => tooOftenWords.test(message)

export const isTooMuch = (error: NodeError): boolean =>
  !isTooOften(error) && (tooMuchCodes.has(error.code) || tooMuchWords.test(error.message))

/**
 * True also for refused parameters: they passed the contract's validation, and nodes report their limits in
 * many ways.
 */
export const mayBeTooMuch = (error: NodeError): boolean =>
  isTooMuch(error) || (error.code === nodeCodes.invalidParams && !isTooOften(error))

/** The error for a refusal that smaller parts do not avoid. */
export const refusal = (error: NodeError) =>
  isTooOften(error) ? failure('overloaded', { cause: error }) : callerError(error)

/** Why a node refuses a range. */
export interface RangeRefusal {
  /** True when the range has too many blocks, whatever they contain. */
  readonly isTooLong: boolean
  /** The node's limit in blocks, as it states it. */
  readonly mostBlocks: number | undefined
  /** The range has more logs than this, as the node states it. */
  readonly moreLogsThan: number | undefined
}

/** Reads the limits of a node from its refusal. */
export function rangeRefusal({ message }: NodeError): RangeRefusal {
  const isTooLong = lengthWords.test(message) && !sizeWords.test(message)
  const stated = isTooLong ? mostBlocks.map((words) => numberIn(words, message)) : []
  return {
    isTooLong,
    mostBlocks: stated.find((number) => number !== undefined),
    moreLogsThan: numberIn(moreLogs, message),
  }
}

function numberIn(words: RegExp, message: string): number | undefined {
  const digits = words.exec(message)?.[1]?.replace(/[,_]/g, '')
  return digits === undefined || digits === '' ? undefined : Number(digits)
}
