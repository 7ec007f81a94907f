import { limits } from '@concordat/node-access-contract/contract'
import { type JsonObject, type JsonValue, scanJson } from '@concordat/rpc'
import { isList, isObject } from '../../ethereum/index.js'
import type { NodeAnswer, NodeError } from '../node-call.js'

/**
 * Reads a node's answer to one call. A missing `jsonrpc` and `error: null` beside a result are accepted. An
 * error may have no id, null, or the string "null", because Rootstock nodes and providers send such errors. A
 * result needs the id of the call, because it could belong to another call.
 * @param text the body
 * @param id the id of the request
 * @returns undefined when the body is not an answer to this call
 */
export function readAnswer(text: string, id: number): NodeAnswer | undefined {
  const body = parseNodeJson(text)
  if (!isObject(body)) return undefined
  const outcome = readOutcome(body)
  const isOwn = body['id'] === id || (outcome?.error !== undefined && isNoId(body['id']))
  return isOwn ? outcome : undefined
}

/** The answer to a batch. */
export type BatchAnswer =
  /** The answers in the order of the calls; undefined for a call without an answer. */
  | { readonly answers: readonly (NodeAnswer | undefined)[]; readonly refusal?: undefined }
  /**
   * The answers cannot be assigned to calls: a single object instead of a list, or answers with missing,
   * duplicate or unknown ids.
   */
  | { readonly refusal: NodeError; readonly answers?: undefined }

/**
 * Reads a node's answer to a batch. Answers are matched by id only, because their position is not reliable.
 * @param text the body
 * @param calls the calls of the batch
 * @returns undefined when the body is not an answer
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
    // Most nodes answer in the order of the calls.
    const place = calls[at]?.id === id ? at : calls.findIndex((call) => call.id === id)
    if (place < 0 || answers[place] !== undefined) return { refusal: unusable }
    answers[place] = isObject(item) ? readOutcome(item) : undefined
  }
  return { answers }
}

/** The error for a batch whose answers cannot be assigned, or belong to another request. */
export const unusable: NodeError = {
  code: 0,
  message: 'the answers of a batch cannot be matched to its calls',
}

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

/**
 * Maximum length of a node's error message, in characters. Messages are searched with patterns and sent to
 * callers.
 */
const messageMost = 1_024

/** Maximum length of a string in an error's data, in characters: 512 KiB of revert bytes. */
const errorDataMost = 1_048_578

/**
 * Some nodes are proxies whose messages contain addresses of other nodes. Callers must never see an address.
 */
const withoutAddresses = (message: string) =>
  message
    .replace(/\b[a-z]+:\/\/\S+/gi, '(address)')
    .replace(/\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b/g, '(address)')

/**
 * Maximum number of values and members in a node's answer or in one log. A Rootstock block has up to about
 * 10,000, and a receipt with 2,000 logs has 45,000.
 */
const nodeValuesMost = 100_000

/**
 * Maximum number of members of an object. The largest object, a block with members of other chains, has about
 * 40.
 */
const nodeMembersMost = 64

/**
 * Parses JSON from a node, after checking its limits: the contract's `nestingDepth`, the number of values,
 * and the number of members of each object.
 * @returns undefined for invalid JSON, for text that exceeds a limit, and for numbers that overflow, which would be
 *   sent to callers as null
 */
export function parseNodeJson(text: string): JsonValue | undefined {
  const scan = scanJson(text, limits.nestingDepth, nodeValuesMost, nodeMembersMost)
  if (scan === 'tooDeep' || scan === 'tooManyValues') return undefined
  try {
    return JSON.parse(text, scan === 'inexact' ? rejectInfinite : undefined)
  } catch {
    return undefined
  }
}

function rejectInfinite(_name: string, value: JsonValue): JsonValue {
  if (value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY) throw new RangeError()
  return value
}
