import type { JsonObject, JsonValue } from '../../rpc/index.js'
import { isList, isObject } from '../hex.js'
import type { NodeAnswer, NodeError } from '../node-call.js'

/**
 * Reads a node's answer to one call. Taken as they come: a missing `jsonrpc`, a missing or null `id`, the string
 * "null" as `id` (what Rootstock nodes and providers send), and `error: null` beside a result.
 * @param text the body
 * @param id the id that was sent
 * @returns undefined when the body is no answer to this call
 */
export function readAnswer(text: string, id: number): NodeAnswer | undefined {
  const body = parse(text)
  if (!isObject(body) || !(isNoId(body['id']) || body['id'] === id)) return undefined
  return readOutcome(body)
}

/** What came for a batch. */
export type BatchAnswer =
  /** Answers by id; a call that is not there, or twice, has none that can be used. */
  | { readonly answers: ReadonlyMap<number, NodeAnswer>; readonly refusal?: undefined }
  /** One object in place of a list: the node takes no batches, or not this one. */
  | { readonly refusal: NodeError; readonly answers?: undefined }

/**
 * Reads a node's answer to a batch. Answers are matched by id alone: the position of an answer without one proves
 * nothing.
 * @returns undefined when the body is no answer
 */
export function readBatch(text: string): BatchAnswer | undefined {
  const body = parse(text)
  if (isObject(body)) {
    const { error } = readOutcome(body) ?? {}
    return { refusal: error ?? { code: 0, message: 'one object in place of a batch' } }
  }
  if (!isList(body)) return undefined
  const answers = new Map<number, NodeAnswer>()
  const twice: number[] = []
  for (const item of body) {
    if (!isObject(item)) continue
    const { id } = item
    const outcome = readOutcome(item)
    if (typeof id !== 'number' || outcome === undefined) continue
    if (answers.has(id)) twice.push(id)
    answers.set(id, outcome)
  }
  for (const id of twice) answers.delete(id)
  return { answers }
}

function parse(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
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
  const words = typeof message === 'string' ? withoutAddresses(message) : ''
  return { code, message: words, ...(data === undefined ? {} : { data }) }
}

/** Nodes that stand before other nodes name them in their messages; callers are never told an address. */
const withoutAddresses = (message: string) => message.replace(/\b[a-z]+:\/\/\S+/gi, '(address)')
