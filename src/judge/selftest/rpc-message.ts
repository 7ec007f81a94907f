import { type JsonValue, parseMessage } from '@concordat/rpc'
import { isObject } from '../../toolkit/contract/index.js'

/** A call as sent, single or in a batch. */
export interface Call {
  readonly jsonrpc?: JsonValue | undefined
  /** The id as JSON text, digit for digit; undefined where it is absent. */
  readonly idText?: string | undefined
  readonly method: string
  readonly params?: JsonValue | undefined
}

/** The answer to a call. Undefined members are absent. */
export interface CallAnswer {
  readonly jsonrpc?: JsonValue | undefined
  /** The id as JSON text, digit for digit; undefined where it is absent. */
  readonly idText?: string | undefined
  readonly result?: JsonValue | undefined
  readonly error?: JsonValue | undefined
}

/** A single request or answer, or a batch. */
export interface Message {
  readonly isBatch: boolean
  readonly items: readonly Item[]
}

/** A value with the text of its id. */
interface Item {
  readonly value: JsonValue
  readonly idText: string | undefined
}

/**
 * Maximum nesting depth. It exceeds real parameters and results; deeper bodies test a limit and stay
 * unparsed.
 */
const NESTING_DEPTH = 32

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Parses a body. Returns undefined if it is not JSON in UTF-8, or nests too deeply. */
export function readMessage(body: Uint8Array): Message | undefined {
  const text = textOf(body)
  const parsed = text === undefined ? 'parseError' : parseMessage(text, NESTING_DEPTH)
  if (typeof parsed === 'string') return undefined
  const { value, rawIds } = parsed
  const item = (of: JsonValue, index: number): Item => ({
    value: of,
    idText: rawIds?.[index] ?? idTextOf(of),
  })
  return Array.isArray(value)
    ? { isBatch: true, items: value.map(item) }
    : { isBatch: false, items: [item(value, 0)] }
}

/** Reads an item as a call; undefined if its method is not a string. */
export function callOf({ value, idText }: Item): Call | undefined {
  if (!isObject(value) || typeof value['method'] !== 'string') return undefined
  return { jsonrpc: value['jsonrpc'], idText, method: value['method'], params: value['params'] }
}

/** Reads an item as an answer; undefined if it is not an object. */
export function answerOf({ value, idText }: Item): CallAnswer | undefined {
  if (!isObject(value)) return undefined
  return { jsonrpc: value['jsonrpc'], idText, result: value['result'], error: value['error'] }
}

/**
 * Serializes an item with replaced members. The id keeps its original text, and undefined members are
 * omitted.
 */
export function encodeItem({ value, idText }: Item, change: Call | CallAnswer | undefined): string {
  if (change === undefined || !isObject(value)) return encode(value, idText)
  const { idText: newIdText, ...members } = change
  return encode({ ...value, id: newIdText === undefined ? undefined : null, ...members }, newIdText)
}

/** True for a JSON list. */
export function isList(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value)
}

function textOf(body: Uint8Array): string | undefined {
  try {
    return utf8.decode(body)
  } catch {
    return undefined
  }
}

function idTextOf(value: JsonValue): string | undefined {
  const id = isObject(value) ? value['id'] : undefined
  return id === undefined ? undefined : JSON.stringify(id)
}

function encode(value: JsonValue, idText: string | undefined): string {
  if (!isObject(value)) return JSON.stringify(value)
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .map(([name, member]) => `${JSON.stringify(name)}:${name === 'id' ? idText : JSON.stringify(member)}`)
  return `{${members.join(',')}}`
}
