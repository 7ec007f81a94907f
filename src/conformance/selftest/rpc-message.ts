import { type JsonObject, type JsonValue, parseMessage } from '../../rpc/index.js'

/** A call as it was sent, alone or in a batch. */
export interface Call {
  readonly jsonrpc?: JsonValue | undefined
  /** The id as JSON text, digit for digit; undefined where it is absent. */
  readonly idText?: string | undefined
  readonly method: string
  readonly params?: JsonValue | undefined
}

/** The answer to a call; a member that is undefined is absent. */
export interface CallAnswer {
  readonly jsonrpc?: JsonValue | undefined
  /** The id as JSON text, digit for digit; undefined where it is absent. */
  readonly idText?: string | undefined
  readonly result?: JsonValue | undefined
  readonly error?: JsonValue | undefined
}

/** One request or answer, or a batch of them. */
export interface Message {
  readonly isBatch: boolean
  readonly items: readonly Item[]
}

/** A value with the text of its id. */
interface Item {
  readonly value: JsonValue
  readonly idText: string | undefined
}

/** Deeper than the parameters and results of any service; what nests deeper tries a limit, and is not looked into. */
const NESTING_DEPTH = 32

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Reads a body; undefined where it is no JSON in UTF-8, or nests too deeply to be a call. */
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

/** The call that an item is; undefined where its method is no string. */
export function callOf({ value, idText }: Item): Call | undefined {
  if (!isObject(value) || typeof value['method'] !== 'string') return undefined
  return { jsonrpc: value['jsonrpc'], idText, method: value['method'], params: value['params'] }
}

/** The answer that an item is; undefined where it is no object. */
export function answerOf({ value, idText }: Item): CallAnswer | undefined {
  if (!isObject(value)) return undefined
  return { jsonrpc: value['jsonrpc'], idText, result: value['result'], error: value['error'] }
}

/** Writes an item with members replaced, its id as the text stands; members that become undefined are left out. */
export function encodeItem({ value, idText }: Item, change: Call | CallAnswer | undefined): string {
  if (change === undefined || !isObject(value)) return encode(value, idText)
  const { idText: newIdText, ...members } = change
  return encode({ ...value, id: newIdText === undefined ? undefined : null, ...members }, newIdText)
}

/** True for a JSON object. */
export function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
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
