import {
  isObject,
  type JsonObject,
  type JsonValue,
  member,
  parseJson,
  type Session,
  stringMember,
} from '../../toolkit/contract/index.js'
import type { AttemptLimits } from './connections.js'
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

/** A connection that carries JSON-RPC messages, and those received since the last request. */
export abstract class MessageConnection {
  /** The service, for messages about it. */
  protected readonly name: string
  readonly #session: Session
  #received: Received[] = []
  #failure: Error | undefined
  #onChange = (): void => undefined

  protected constructor(name: string, session: Session) {
    this.name = name
    this.#session = session
  }

  abstract readonly isOpen: boolean
  abstract send(message: string | Uint8Array): void
  abstract end(): void

  /** The error with which the connection ended although no request was waiting; undefined if that is usual. */
  get endedIdle(): Error | undefined {
    return undefined
  }

  /** True if the service ended the connection after its work, as after a notification that asks for it. */
  get hasEndedWell(): boolean {
    return false
  }

  /** What else is known about a missing answer. */
  protected get detail(): string {
    return ''
  }

  /** The error that ended the connection. */
  protected get failure(): Error | undefined {
    return this.#failure
  }

  /** True if an HTTP response refused the connection. */
  protected isRefused(): boolean {
    return false
  }

  /** Reads the HTTP response that refused the connection. */
  protected refusal(_maximumBytes: number): Promise<Reply | undefined> {
    return Promise.resolve(undefined)
  }

  get received(): readonly Received[] {
    return this.#received
  }

  /**
   * Waits until the connection is open.
   * @returns the HTTP response that refused it
   */
  async opened({ timeoutMilliseconds, maximumBytes }: AttemptLimits): Promise<Reply | undefined> {
    const isSettled = () => this.isOpen || this.isRefused()
    await this.#until(
      () => isSettled() || undefined,
      timeoutMilliseconds,
      () => this.#late(timeoutMilliseconds),
    )
    return this.refusal(maximumBytes)
  }

  /**
   * Waits for a message.
   * @throws AnswerRefused if it does not arrive in time, or the connection is closed
   */
  expect(isWanted: (message: Received) => boolean, milliseconds: number): Promise<Received> {
    return this.#until(
      () => this.#received.find(isWanted),
      milliseconds,
      () => this.#late(milliseconds),
    )
  }

  /** Waits for a message. Returns undefined if it does not arrive in time. */
  find(isWanted: (message: Received) => boolean, milliseconds: number): Promise<Received | undefined> {
    return this.#until<Received | undefined>(() => this.#received.find(isWanted), milliseconds)
  }

  /** Clears the received messages before the next request. */
  forget(): void {
    this.#received = []
  }

  #late(milliseconds: number): Error {
    const seconds = milliseconds / 1_000
    return new AnswerRefused('timeout', `${this.name} did not answer within ${seconds} s.${this.detail}`)
  }

  /** Resolves with the first defined value. After the time limit, rejects with `late`, or resolves with undefined. */
  #until<T>(read: () => T | undefined, milliseconds: number, late?: () => Error): Promise<T> {
    let timer: ReturnType<typeof setTimeout> | undefined
    const found = new Promise<T>((resolve, reject) => {
      timer = setTimeout(() => (late ? reject(late()) : resolve(undefined as T)), milliseconds)
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

  /** Takes a message of the server. */
  protected take(bytes: Uint8Array): void {
    const json = parseJson(utf8Text(bytes) ?? '')
    this.#answerCall(json)
    if (isCall(json) && this.#received.length >= sendDefaults.messagesKept) this.#dropCall()
    this.#received.push({ bytes, json })
    this.changed()
  }

  /** Answers a request of the server with the result that the contract shows, or with -32601. */
  #answerCall(json: JsonValue | undefined): void {
    const id = isCall(json) ? member(json, 'id') : undefined
    if (id === undefined || !isObject(json)) return
    const result = this.#session.results.get(stringMember(json, 'method') ?? '')
    const answer =
      result === undefined ? { error: { code: -32601, message: 'Method not found' } } : { result }
    this.send(JSON.stringify({ jsonrpc: '2.0', id, ...answer }))
  }

  /** Bounds the memory for fast subscriptions: drops calls from the middle, and keeps the first and last ones. */
  #dropCall(): void {
    const middle = sendDefaults.messagesKept / 2
    const at = this.#received.findIndex(({ json }, index) => index >= middle && isCall(json))
    if (at >= 0) this.#received.splice(at, 1)
  }

  /** Ends all waits with an error. */
  protected fail(error: Error): void {
    this.#failure ??= error
    this.changed()
  }

  /** Reports that the connection was opened or refused. */
  protected changed(): void {
    this.#onChange()
  }
}

/** True for a call of the server. */
export function isCall(json: JsonValue | undefined): json is JsonObject {
  return isObject(json) && member(json, 'method') !== undefined
}
