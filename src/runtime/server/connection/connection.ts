import {
  isResponse,
  type JsonObject,
  type JsonValue,
  type MethodDescriptor,
  Peer,
  RpcError,
} from '@concordat/rpc'
import type { Body, Message } from '../protocol/answer-message.js'
import { type Answer, isSource, wholeText } from '../protocol/encode-answer.js'
import { type FailureId, failureError } from '../protocol/failures.js'
import { positiveInteger } from '../protocol/limits.js'
import type { RpcService } from '../service/create-service.js'
import type { Exchange, OpenConnection } from '../service/exchange.js'
import { CancellableCalls } from './cancellable-calls.js'
import { Subscriptions } from './subscriptions.js'
import { type ConnectionTransport, sent } from './transport.js'

/** Options of {@link Connection}. */
export interface ConnectionOptions<Context> {
  readonly service: RpcService<Context>
  readonly context: Context
  /** Maximum number of messages that are handled concurrently. */
  readonly messagesAtOnce: number
}

/**
 * Returns the maximum number of messages of a connection that are handled concurrently. Default: 32.
 * @throws RangeError if the option is not a positive integer
 */
export function messagesAtOnceOf({ messagesAtOnce = 32 }: { readonly messagesAtOnce?: number }): number {
  return positiveInteger('messagesAtOnce', messagesAtOnce)
}

/**
 * Connects a service with one caller (JSON-RPC 2.0), whatever carries the messages. Messages are handled concurrently,
 * so answers may come in another order. Responses are never answered. While handlers await responses of the caller, the
 * connection is read on, and requests over the limit get an error. An idle connection holds no other objects.
 */
export class Connection<Context> implements OpenConnection {
  readonly #options: ConnectionOptions<Context>
  readonly #transport: ConnectionTransport
  #exchanges: Set<Exchange<Context>> | undefined = undefined
  /** Messages that were received without room for them. */
  #queue: Body[] | undefined = undefined
  #requests: Peer | undefined = undefined
  #peer: OpenConnection['peer'] | undefined = undefined
  #subscriptions: Subscriptions<Context> | undefined = undefined
  #calls: CancellableCalls | undefined = undefined
  #isClosed = false
  #isDraining = false
  #drained: (() => void) | undefined = undefined

  constructor(options: ConnectionOptions<Context>, transport: ConnectionTransport) {
    this.#options = options
    this.#transport = transport
  }

  /** False while no further message should be read. */
  get hasRoom(): boolean {
    const queued = this.#queue?.length ?? 0
    if (this.#isAwaiting || (!this.#isFull && queued === 0)) return true
    // Only messages that are read can cancel calls.
    return this.#options.service.roles.cancel.size > 0 && queued < this.#messagesAtOnce
  }

  /** Handles a message, and sends its answer. */
  receive(body: Body): void {
    if (this.#isClosed) return
    if (!this.#isFull || this.#isAwaiting || this.#cancelsCall(body)) this.#handle(body)
    else {
      // A transport that reads no further may still have received some messages.
      this.#queue ??= []
      this.#queue.push(body)
    }
  }

  accept(message: Message): boolean {
    if (typeof message === 'string' || !isResponse(message.value)) return false
    this.#requests?.receive(message.value)
    return true
  }

  /** Answers a message that cannot be read with an error. */
  refuse(failure: FailureId): void {
    const exchange = this.#begin()
    this.#answer(exchange, this.#options.service.refuse(failure, exchange))
  }

  /**
   * Refuses further requests as `draining`. Responses are still accepted.
   * @returns a promise that resolves when all messages are answered
   */
  async drain(): Promise<void> {
    this.#isDraining = true
    await this.answered()
  }

  /** Resolves when all received messages are answered. */
  async answered(): Promise<void> {
    if (this.#exchanges?.size)
      await new Promise<void>((resolve) => {
        this.#drained = resolve
      })
  }

  /** Ends all subscriptions and fires the signals of all calls. Called when the transport is closed. */
  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#queue = undefined
    this.#requests?.close()
    for (const exchange of this.#exchanges ?? []) exchange.disconnect()
    this.#subscriptions?.close()
  }

  get peer(): OpenConnection['peer'] {
    this.#peer ??= {
      request: (method: string, params: unknown, own?: { readonly signal?: AbortSignal | undefined }) => {
        const response = this.#caller().request(method, params, own)
        if (this.hasRoom) this.#transport.onRoom()
        return response as Promise<never>
      },
      notify: (method: string, params: unknown) => this.#caller().notify(method, params),
    }
    return this.#peer
  }

  subscribe(
    method: MethodDescriptor,
    exchange: Exchange<unknown>,
    itemsFor: (signal: AbortSignal) => unknown,
  ): Promise<string> {
    const { service, context } = this.#options
    this.#subscriptions ??= new Subscriptions(service, context, this.#transport)
    return this.#subscriptions.subscribe(method, exchange, itemsFor)
  }

  unsubscribe(method: MethodDescriptor, id: JsonValue | undefined): boolean {
    return this.#subscriptions?.unsubscribe(method, id) ?? false
  }

  cancellable<Result>(
    idText: string,
    run: (cancellation: AbortSignal) => Result | PromiseLike<Result>,
  ): Promise<Result> {
    this.#calls ??= new CancellableCalls()
    return this.#calls.run(idText, run)
  }

  cancel(id: JsonValue | undefined, isAnswered: boolean): void {
    this.#calls?.cancel(id, isAnswered)
  }

  /** Returns true for a notification that cancels a call in hand. It needs no room, and is never refused. */
  #cancelsCall(body: Body): boolean {
    const { roles, read } = this.#options.service
    if (this.#calls === undefined) return false
    const message = read(body)
    if (typeof message === 'string' || !isNotification(message.value)) return false
    const { method: name, params } = message.value
    for (const [method, { position }] of roles.cancel) {
      if (method.name !== name) continue
      const key = Array.isArray(params) ? position : (method.params[position]?.name ?? '')
      return this.#calls.has((params as Readonly<Record<string | number, JsonValue>> | undefined)?.[key])
    }
    return false
  }

  get #isFull(): boolean {
    return (this.#exchanges?.size ?? 0) >= this.#messagesAtOnce
  }

  /** True while a handler awaits a response of the caller. */
  get #isAwaiting(): boolean {
    return this.#requests?.isWaiting ?? false
  }

  get #messagesAtOnce(): number {
    return this.#options.messagesAtOnce
  }

  #caller(): Peer {
    if (this.#requests === undefined) {
      const { called } = this.#options.service.roles
      this.#requests = new Peer(called, (text) => sent(this.#transport, text))
      if (this.#isClosed) this.#requests.close()
    }
    return this.#requests
  }

  #begin(): Exchange<Context> {
    const { service, context } = this.#options
    const exchange = service.begin(context, this)
    this.#exchanges ??= new Set()
    this.#exchanges.add(exchange)
    return exchange
  }

  #handle(body: Body): void {
    const exchange = this.#begin()
    const refusal = this.#refusal()
    const refused = refusal && this.#cancelsCall(body) ? undefined : refusal
    this.#answer(exchange, this.#options.service.receive(body, exchange, refused))
  }

  #refusal(): RpcError | undefined {
    if (this.#isDraining) return failureError(this.#options.service.failures.draining)
    const count = this.#exchanges?.size ?? 0
    return count > this.#messagesAtOnce ? tooManyMessages() : undefined
  }

  #answer(exchange: Exchange<Context>, answer: Answer | Promise<Answer>): void {
    if (answer instanceof Promise) answer.then((settled) => this.#send(exchange, settled))
    else this.#send(exchange, answer)
  }

  #send(exchange: Exchange<Context>, { body }: Answer): void {
    const done = (error?: Error | null): void => {
      if (error) exchange.disconnect()
      else exchange.answered()
      this.#end(exchange)
    }
    if (body === null) done()
    else if (!isSource(body)) this.#transport.send(body, done)
    // The source of a streamed result reports its failure.
    else wholeText(body).then((text) => this.#transport.send(text, done), done)
  }

  #end(exchange: Exchange<Context>): void {
    this.#exchanges?.delete(exchange)
    this.#handleQueued()
    if (this.#exchanges?.size === 0) this.#drained?.()
    if (this.hasRoom) this.#transport.onRoom()
  }

  /** Handles the next queued message if there is room, and the next one that cancels a call in hand. */
  #handleQueued(): void {
    const queue = this.#queue
    if (!queue?.length) return
    const next = !this.#isFull || this.#isAwaiting ? queue.shift() : undefined
    if (next !== undefined) this.#handle(next)
    const at = queue.findIndex((body) => this.#cancelsCall(body))
    const [cancelling] = at < 0 ? [] : queue.splice(at, 1)
    if (cancelling !== undefined) this.#handle(cancelling)
  }
}

/** True for an object without an id. */
function isNotification(message: JsonValue): message is JsonObject {
  return typeof message === 'object' && message !== null && !('id' in message)
}

const tooManyMessages = () => new RpcError({ code: -32000, message: 'Too many requests at once' })
