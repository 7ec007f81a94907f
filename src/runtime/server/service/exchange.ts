import { setMaxListeners } from 'node:events'
import {
  type HandlerCall,
  type JsonValue,
  type Logger,
  type MessageProblem,
  type MethodDescriptor,
  type ParsedMessage,
  PeerClosedError,
  type ResponseHeaders,
  type RpcPeer,
} from '@concordat/rpc'
import type { HttpSource } from '../protocol/http-source.js'
import { MessageRecipient } from '../protocol/message-recipient.js'
import type { Admission, PositionalParams } from '../protocol/protocol-options.js'
import { DeadlineError } from '../protocol/reporter.js'
import type { Share } from '../sharing/share.js'

/** Headers that the transport sets itself (RFC 9110, sections 6.6 and 8.6; RFC 9112, section 6). */
const transportHeaders = ['connection', 'content-length', 'content-type', 'date', 'transfer-encoding']

/** Valid parameters by name, with defaults filled in. Omitted parameters without default are absent. */
export type NamedParams = Record<string, JsonValue>

/** A valid call on its way to its handler. */
export interface ServerCall<Context> extends HandlerCall {
  readonly params: NamedParams
  readonly context: Context
}

/** The caller's side of a connection. */
type AnyPeer = RpcPeer<Readonly<Record<never, never>>>

/** A connection that stays open after an answer, such as a WebSocket. */
export interface OpenConnection {
  readonly peer: AnyPeer
  /** Passes a response of the caller to the handler that awaits it. Returns false for any other message. */
  accept(message: ParsedMessage | MessageProblem): boolean
  /**
   * Prepares a subscription. Its items are read after the answer to the exchange is sent.
   * @param itemsFor returns the items; the signal fires at the end of the subscription
   * @returns the subscription's id
   */
  subscribe(
    method: MethodDescriptor,
    exchange: Exchange<unknown>,
    itemsFor: (signal: AbortSignal) => unknown,
  ): Promise<string>
  /**
   * Ends a subscription.
   * @param method the called method, which is that of the subscription's contract
   * @returns false for an unknown id
   */
  unsubscribe(method: MethodDescriptor, id: JsonValue | undefined): boolean
  /**
   * Runs a call that its caller can cancel.
   * @param idText the id of the request as JSON text
   * @param run runs the call; the signal fires at a cancellation
   */
  cancellable<Result>(
    idText: string,
    run: (cancellation: AbortSignal) => Result | PromiseLike<Result>,
  ): Promise<Result>
  /** Cancels the call with an id. Unknown ids are ignored. */
  cancel(id: JsonValue | undefined, isAnswered: boolean): void
}

const closed = () => Promise.reject(new PeerClosedError())
const noPeer: AnyPeer = { request: closed, notify: closed }

/**
 * One incoming message with the caller's context. A transport creates it before the message is handled, and reports a
 * disconnect. Signal and headers are created when a handler uses them.
 */
export class Exchange<Context> {
  readonly context: Context
  /** Undefined over HTTP. */
  readonly connection: OpenConnection | undefined
  /** Undefined on a connection that stays open. */
  readonly request: HttpSource | undefined
  readonly startedAt = performance.now()
  /** When the message was complete, in milliseconds of `performance.now()`; 0 before. */
  receivedAt = 0
  /** Number of calls of the message; known when its calls run. */
  calls = 1
  /** Undefined if callers do not share the service. */
  share: Share | undefined = undefined
  /** The admission of a message that is refused before its body is read. */
  refusedEarly: Admission | undefined = undefined
  readonly #deadlineMilliseconds: number | undefined
  #controller: AbortController | undefined = undefined
  #headers: Headers | undefined = undefined
  #isDisconnected = false
  #timer: ReturnType<typeof setTimeout> | undefined = undefined
  #whenAnswered: (() => void)[] | undefined = undefined
  #recipient: MessageRecipient | undefined = undefined

  /** @param deadlineMilliseconds milliseconds after which the signal fires */
  constructor(
    context: Context,
    deadlineMilliseconds?: number,
    connection?: OpenConnection,
    request?: HttpSource,
  ) {
    this.context = context
    this.connection = connection
    this.request = request
    this.#deadlineMilliseconds = deadlineMilliseconds
  }

  /** Aborted when the caller disconnects, or at the deadline. */
  get signal(): AbortSignal {
    this.#controller ??= this.#createController()
    return this.#controller.signal
  }

  /** True if the caller has disconnected before the whole answer was sent. */
  get isDisconnected(): boolean {
    const response = this.request?.response
    return this.#isDisconnected || (response?.destroyed === true && !response.writableFinished)
  }

  /** The receiver of the answer on a connection that stays open. */
  get recipient(): MessageRecipient {
    this.#recipient ??= new MessageRecipient()
    return this.#recipient
  }

  /** Headers that handlers add to the response. */
  get headers(): ResponseHeaders {
    this.#headers ??= new Headers()
    return this.#headers
  }

  /** The headers that handlers have set, without those of the transport; undefined if there are none. */
  ownHeaders(): Readonly<Record<string, string>> | undefined {
    if (this.#headers === undefined) return undefined
    for (const name of transportHeaders) this.#headers.delete(name)
    return Object.fromEntries(this.#headers)
  }

  /** Called when all calls of the message are answered. */
  end(): void {
    clearTimeout(this.#timer)
  }

  /** Adds work that begins after the answer to the message is sent. */
  whenAnswered(run: () => void): void {
    this.#whenAnswered ??= []
    this.#whenAnswered.push(run)
  }

  /** Called by a connection when the answer to the message is sent. */
  answered(): void {
    this.#recipient?.finish()
    for (const run of this.#whenAnswered ?? []) run()
  }

  /** Called when the caller disconnects before the response is sent. */
  disconnect(): void {
    this.#isDisconnected = true
    this.#recipient?.close()
    this.#controller?.abort(disconnected())
  }

  #createController(): AbortController {
    const controller = new AbortController()
    // Each call of a batch may add a listener. Node.js would warn of a leak after ten listeners.
    setMaxListeners(0, controller.signal)
    if (this.isDisconnected) {
      controller.abort(disconnected())
      return controller
    }
    this.request?.response.once('close', () => {
      if (this.isDisconnected) this.disconnect()
    })
    if (this.#deadlineMilliseconds !== undefined) {
      const left = Math.max(0, this.#deadlineMilliseconds - (performance.now() - this.startedAt))
      this.#timer = setTimeout(() => controller.abort(new DeadlineError()), left)
    }
    return controller
  }
}

/** A call as its handler gets it. Peer, signal and headers are read from the exchange when the handler uses them. */
export class ExchangeCall<Context> implements ServerCall<Context> {
  readonly method: string
  readonly params: NamedParams
  readonly context: Context
  readonly log: Logger
  readonly positional: PositionalParams
  readonly index: number
  readonly #exchange: Exchange<Context>
  readonly #idText: string | undefined
  #signal: AbortSignal | undefined
  readonly #cancellation: AbortSignal | undefined

  /**
   * @param signal replaces the signal of the exchange
   * @param cancellation is added to it
   */
  constructor(
    { name }: MethodDescriptor,
    params: NamedParams,
    positional: PositionalParams,
    exchange: Exchange<Context>,
    log: Logger,
    index: number,
    idText?: string,
    signal?: AbortSignal,
    cancellation?: AbortSignal,
  ) {
    this.method = name
    this.params = params
    this.positional = positional
    this.index = index
    this.context = exchange.context
    this.log = log
    this.#exchange = exchange
    this.#idText = idText
    this.#signal = signal
    this.#cancellation = cancellation
  }

  get id(): HandlerCall['id'] {
    return this.#idText === undefined ? undefined : JSON.parse(this.#idText)
  }

  get peer(): AnyPeer {
    return this.#exchange.connection?.peer ?? noPeer
  }

  get signal(): AbortSignal {
    this.#signal ??=
      this.#cancellation === undefined
        ? this.#exchange.signal
        : AbortSignal.any([this.#exchange.signal, this.#cancellation])
    return this.#signal
  }

  get headers(): ResponseHeaders {
    return this.#exchange.headers
  }

  get calls(): number {
    return this.#exchange.calls
  }

  get isDisconnected(): boolean {
    return this.#exchange.isDisconnected
  }

  /** Handlers destructure their call, so it needs no `this`. */
  get reserve(): (bytes: number) => boolean {
    return (bytes) => this.#exchange.share?.reserve(bytes) ?? true
  }

  get waitUntil(): (work: Promise<unknown>) => void {
    return (work) => this.#exchange.share?.waitUntil(work)
  }

  /** Returns the call with members of its own, so that middleware can write `next({ ...call, params })`. */
  spreadable(): ServerCall<Context> {
    const own = this
    return {
      method: own.method,
      params: own.params,
      context: own.context,
      log: own.log,
      positional: own.positional,
      index: own.index,
      calls: own.calls,
      reserve: own.reserve,
      waitUntil: own.waitUntil,
      get id() {
        return own.id
      },
      get isDisconnected() {
        return own.isDisconnected
      },
      get peer() {
        return own.peer
      },
      get signal() {
        return own.signal
      },
      get headers() {
        return own.headers
      },
    }
  }
}

const disconnected = () => new DOMException('The caller has disconnected', 'AbortError')
