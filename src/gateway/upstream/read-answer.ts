import type { JsonObject, JsonValue } from '../../rpc/index.js'
import { isObject } from '../hex.js'
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
  if (!isObject(body) || !isOwnId(body['id'], id)) return undefined
  const { error, result } = body
  if (error !== undefined && error !== null) {
    const read = readError(error)
    return read === undefined ? undefined : { error: read }
  }
  return result === undefined ? undefined : { result }
}

function parse(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const isOwnId = (id: JsonValue | undefined, own: number) =>
  id === undefined || id === null || id === 'null' || id === own

function readError(error: JsonValue): NodeError | undefined {
  if (!isObject(error)) return undefined
  const { code, message, data }: JsonObject = error
  if (typeof code !== 'number' || !Number.isInteger(code)) return undefined
  const words = typeof message === 'string' ? withoutAddresses(message) : ''
  return { code, message: words, ...(data === undefined ? {} : { data }) }
}

/** Nodes that stand before other nodes name them in their messages; callers are never told an address. */
const withoutAddresses = (message: string) => message.replace(/\b[a-z]+:\/\/\S+/gi, '(address)')
