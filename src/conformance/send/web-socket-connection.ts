import type { IncomingMessage } from 'node:http'
import { type RawData, WebSocket } from 'ws'
import { isObject, type JsonObject, type JsonValue, member, parseJson } from '../../contract/index.js'
import type { AttemptLimits, AttemptRequest } from './connections.js'
import { utf8Text } from './decode-body.js'
import type { Reply } from './exchange.js'
import { sendDefaults } from './send-defaults.js'
import { AnswerRefused } from './transport-trouble.js'

/** A message of the server. */
export interface Received {
  readonly bytes: Uint8Array
  /** Undefined for a message that is not JSON. */
  readonly json: JsonValue | undefined
}

/** Headers that describe a POST body. An upgrade request has none. */
const unsent = new Set(['content-type', 'accept-encoding', 'content-length'])

const TOO_BIG = 1009

/** A WebSocket and the messages received since the last request. */
export class WebSocketConnection {
  readonly #socket: WebSocket
  readonly #host: string
  #received: Received[] = []
  #failure: Error | undefined
  #refusal: IncomingMessage | undefined
  #onChange = (): void => undefined

  /**
   * Opens a connection.
   * @param maximumBytes maximum size of a message
   * @param onEnd called when the connection is closed
   */
  constructor(
    { url, headers }: AttemptRequest,
    maximumBytes: number,
    onEnd: (connection: WebSocketConnection) => void,
  ) {
    const sent = Object.entries(headers).filter(([name]) => !unsent.has(name))
    const options = { headers: Object.fromEntries(sent), maxPayload: maximumBytes, perMessageDeflate: false }
    this.#host = url.host
    this.#socket = new WebSocket(url, options)
    this.#socket.on('open', () => this.#onChange())
    this.#socket.on('message', (data) => this.#take(data))
    this.#socket.on('error', (error) => this.#fail(error))
    this.#socket.on('unexpected-response', (_, response) => {
      this.#refusal = response
      this.#onChange()
    })
    this.#socket.on('close', (code) => {
      const why = code === TOO_BIG ? 'the message is too big' : `code ${code}`
      const message = `${this.#host} closed the connection before it answered: ${why}.`
      this.#fail(new AnswerRefused('reset', message))
      onEnd(this)
    })
  }

  get isOpen(): boolean {
    return this.#socket.readyState === WebSocket.OPEN
  }

  get received(): readonly Received[] {
    return this.#received
  }

  /**
   * Waits until the connection is open.
   * @returns the HTTP response to a refused upgrade request
   */
  async opened({ timeoutMilliseconds, maximumBytes }: AttemptLimits): Promise<Reply | undefined> {
    const isSettled = () => this.isOpen || this.#refusal !== undefined
    await this.#until(() => isSettled() || undefined, timeoutMilliseconds, this.#late(timeoutMilliseconds))
    return this.#refusal && refusalOf(this.#refusal, maximumBytes)
  }

  send(message: string | Uint8Array): void {
    this.#socket.send(message)
  }

  /**
   * Waits for a message.
   * @throws AnswerRefused if it does not arrive in time, or the connection is closed
   */
  expect(isWanted: (message: Received) => boolean, milliseconds: number): Promise<Received> {
    return this.#until(() => this.#received.find(isWanted), milliseconds, this.#late(milliseconds))
  }

  /** Waits for a message. Returns undefined if it does not arrive in time. */
  find(isWanted: (message: Received) => boolean, milliseconds: number): Promise<Received | undefined> {
    return this.#until<Received | undefined>(() => this.#received.find(isWanted), milliseconds)
  }

  /** Clears the received messages before the next request. */
  forget(): void {
    this.#received = []
  }

  end(): void {
    this.#socket.terminate()
  }

  #late(milliseconds: number): Error {
    return new AnswerRefused('timeout', `${this.#host} did not answer within ${milliseconds / 1_000} s.`)
  }

  /** Resolves with the first defined value. After the time limit, rejects with `late`, or resolves with undefined. */
  #until<T>(read: () => T | undefined, milliseconds: number, late?: Error): Promise<T> {
    let timer: ReturnType<typeof setTimeout> | undefined
    const found = new Promise<T>((resolve, reject) => {
      timer = setTimeout(() => (late ? reject(late) : resolve(undefined as T)), milliseconds)
      this.#onChange = () => {
        const value = read()
        if (value !== undefined) resolve(value)
        else if (this.#failure !== undefined) reject(this.#failure)
      }
      this.#onChange()
    })
    return found.finally(() => {
      clearTimeout(timer)
      this.#onChange = () => undefined
    })
  }

  #take(data: RawData): void {
    const bytes = bytesOf(data)
    const json = parseJson(utf8Text(bytes) ?? '')
    this.#refuseCall(json)
    if (isCall(json) && this.#received.length >= sendDefaults.messagesKept) this.#dropCall()
    this.#received.push({ bytes, json })
    this.#onChange()
  }

  /** Answers a request of the server with -32601, because the runner has no methods. */
  #refuseCall(json: JsonValue | undefined): void {
    const id = isCall(json) ? member(json, 'id') : undefined
    if (id === undefined) return
    const error = { code: -32601, message: 'Method not found' }
    this.#socket.send(JSON.stringify({ jsonrpc: '2.0', id, error }))
  }

  /** Bounds the memory for fast subscriptions: drops calls from the middle, and keeps the first and last ones. */
  #dropCall(): void {
    const middle = sendDefaults.messagesKept / 2
    const at = this.#received.findIndex(({ json }, index) => index >= middle && isCall(json))
    if (at >= 0) this.#received.splice(at, 1)
  }

  #fail(error: Error): void {
    this.#failure ??= error
    this.#onChange()
  }
}

/** True for a call of the server. */
function isCall(json: JsonValue | undefined): json is JsonObject {
  return isObject(json) && member(json, 'method') !== undefined
}

/** The HTTP response to a refused upgrade request. */
async function refusalOf(response: IncomingMessage, maximumBytes: number): Promise<Reply> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response as AsyncIterable<Uint8Array>) {
    size += chunk.length
    if (size > maximumBytes)
      throw new AnswerRefused('too-large', `The answer is larger than ${maximumBytes} bytes.`)
    chunks.push(chunk)
  }
  const headers = Object.entries(response.headers).map(([name, value]) => [name, String(value)])
  const bytes = Buffer.concat(chunks)
  return {
    status: response.statusCode ?? 0,
    headers: Object.fromEntries(headers),
    bytes,
    text: utf8Text(bytes),
  }
}

function bytesOf(data: RawData): Uint8Array {
  if (Array.isArray(data)) return Buffer.concat(data)
  return data instanceof ArrayBuffer ? new Uint8Array(data) : data
}
