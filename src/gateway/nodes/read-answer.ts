import { limits } from '../../../generated/contract.js'
import { type JsonObject, type JsonValue, scanJson } from '../../rpc/index.js'
import { isList, isObject } from '../ethereum/index.js'
import type { NodeAnswer, NodeError } from './node-call.js'

/**
 * Reads a node's answer to one call. A missing `jsonrpc` is accepted, and `error: null` beside a result. An error may
 * come without an id, with null or the string "null", as Rootstock nodes and providers send it. A result needs the id
 * of the call: without it, it could be the answer to another one.
 * @param text the body
 * @param id the id that was sent
 * @returns undefined when the body is no answer to this call
 */
export function readAnswer(text: string, id: number): NodeAnswer | undefined {
  const body = parseNodeJson(text)
  if (!isObject(body)) return undefined
  const outcome = readOutcome(body)
  const isOwn = body['id'] === id || (outcome?.error !== undefined && isNoId(body['id']))
  return isOwn ? outcome : undefined
}

/** What came for a batch. */
export type BatchAnswer =
  /** For each call in its place; undefined where a call has none. */
  | { readonly answers: readonly (NodeAnswer | undefined)[]; readonly refusal?: undefined }
  /**
   * There are none that can be told apart or trusted: one object in place of a list, answers without ids, with the same,
   * or to what was not asked.
   */
  | { readonly refusal: NodeError; readonly answers?: undefined }

/**
 * Reads a node's answer to a batch. Answers are matched by id alone: the position of an answer proves nothing.
 * @param text the body
 * @param calls that were sent
 * @returns undefined when the body is no answer
 */
export function readBatch(text: string, calls: readonly { readonly id: number }[]): BatchAnswer | undefined {
  const body = parseNodeJson(text)
  if (isObject(body)) {
    const { id } = body
    const isOwn = isNoId(id) || calls.some((call) => call.id === id)
    return { refusal: (isOwn ? readOutcome(body)?.error : undefined) ?? unusable }
  }
  if (!isList(body)) return undefined
  const answers: (NodeAnswer | undefined)[] = new Array(calls.length).fill(undefined)
  for (let at = 0; at < body.length; at++) {
    const item: JsonValue | undefined = body[at]
    const id: JsonValue | undefined = isObject(item) ? item['id'] : undefined
    // Most nodes answer in the order in which they were asked.
    const place = calls[at]?.id === id ? at : calls.findIndex((call) => call.id === id)
    if (place < 0 || answers[place] !== undefined) return { refusal: unusable }
    answers[place] = isObject(item) ? readOutcome(item) : undefined
  }
  return { answers }
}

/** The refusal of a batch whose answers cannot be told apart, or are those to another request. */
export const unusable: NodeError = { code: 0, message: 'the answers of a batch cannot be told apart' }

const isNoId = (id: JsonValue | undefined) => id === undefined || id === null || id === 'null'

function readOutcome({ error, result }: JsonObject): NodeAnswer | undefined {
  if (error !== undefined && error !== null) {
    const read = readError(error)
    return read === undefined ? undefined : { error: read }
  }
  return result === undefined ? undefined : { result }
}

function readError(error: JsonValue): NodeError | undefined {
  if (!isObject(error)) return undefined
  const { code, message, data }: JsonObject = error
  if (typeof code !== 'number' || !Number.isInteger(code)) return undefined
  const words = typeof message === 'string' ? withoutAddresses(message.slice(0, messageMost)) : ''
  const isKept = data !== undefined && !(typeof data === 'string' && data.length > errorDataMost)
  return { code, message: words, ...(isKept ? { data } : {}) }
}

/** A node's words are cut behind so many characters: they are searched for patterns, and told to callers. */
const messageMost = 1_024

/** The longest text that is kept of an error's data, in characters: the bytes of a revert of 512 KiB. */
const errorDataMost = 1_048_578

/** Nodes that stand before other nodes name them in their messages; callers are never told an address. */
const withoutAddresses = (message: string) =>
  message
    .replace(/\b[a-z]+:\/\/\S+/gi, '(address)')
    .replace(/\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b/g, '(address)')

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
