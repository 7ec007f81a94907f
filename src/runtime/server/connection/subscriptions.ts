import { randomBytes } from 'node:crypto'
import { type JsonValue, type MethodDescriptor, PeerClosedError } from '@concordat/rpc'
import type { RpcService } from '../service/create-service.js'
import type { Exchange } from '../service/exchange.js'
import type { SubscribeMethod } from '../service/method-roles.js'
import { type ConnectionTransport, sent } from './transport.js'

interface Subscription {
  readonly id: string
  readonly method: MethodDescriptor
  readonly controller: AbortController
  /** Undefined until the handler has returned. */
  items?: AsyncIterator<JsonValue>
}

const ID_BYTES = 16

/** Lets the event loop turn, because an accepted notification and a ready item never wait for it. */
const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve))

/**
 * The subscriptions of one connection. The next item of a subscription is read only after the operating system has
 * accepted the notification of the previous one. So at most one notification of each subscription waits in memory. One
 * item of each subscription is sent in a turn of the event loop, so an iterable without pauses holds up nothing else.
 */
export class Subscriptions<Context> {
  readonly #service: RpcService<Context>
  readonly #context: Context
  readonly #transport: ConnectionTransport
  readonly #all = new Map<string, Subscription>()

  constructor(service: RpcService<Context>, context: Context, transport: ConnectionTransport) {
    this.#service = service
    this.#context = context
    this.#transport = transport
  }

  /**
   * Prepares a subscription. Its items are read after the response is sent. If the result schema refuses the id, the
   * response is an error and the handler is not called.
   * @param itemsFor returns the items; the signal fires at the end of the subscription
   * @returns the subscription's id
   */
  async subscribe(
    method: MethodDescriptor,
    exchange: Exchange<unknown>,
    itemsFor: (signal: AbortSignal) => unknown,
  ): Promise<string> {
    const id = newId()
    if (this.#service.validateResults && method.validateResult(id).length > 0) return id
    const subscription: Subscription = { id, method, controller: new AbortController() }
    this.#all.set(id, subscription)
    try {
      const found = await itemsFor(subscription.controller.signal)
      if (!isAsyncIterable(found))
        throw new TypeError(`The handler of ${method.name} must return an async iterable`)
      subscription.items = found[Symbol.asyncIterator]()
    } catch (cause) {
      this.#end(subscription)
      throw cause
    }
    // The connection may have been closed in the meantime.
    if (this.#all.has(id)) exchange.whenAnswered(() => this.#run(subscription))
    else cleanUp(subscription)
    return id
  }

  /** Ends a subscription. Returns false for an unknown id, and for one that another method ends. */
  unsubscribe(method: MethodDescriptor, id: JsonValue | undefined): boolean {
    const subscription = typeof id === 'string' ? this.#all.get(id) : undefined
    if (subscription === undefined || this.#rolesOf(subscription)?.unsubscribe !== method) return false
    this.#end(subscription)
    return true
  }

  /** Ends all subscriptions. */
  close(): void {
    for (const subscription of this.#all.values()) this.#end(subscription)
  }

  #rolesOf({ method }: Subscription): SubscribeMethod | undefined {
    return this.#service.roles.subscribe.get(method)
  }

  async #run(subscription: Subscription): Promise<void> {
    const { id, items } = subscription
    const declared = this.#rolesOf(subscription)
    if (declared === undefined || items === undefined) return
    const isOpen = () => this.#all.has(id)
    try {
      while (isOpen()) {
        const next = await items.next()
        if (next.done || !isOpen()) break
        await this.#notify(declared.notification, [id, next.value])
        await nextTurn()
      }
    } catch (cause) {
      // An error after the end is that of the fired signal.
      if (isOpen()) this.#report(subscription, cause)
    }
    const { end } = declared
    if (isOpen() && end !== undefined)
      await this.#notify(end, [id]).catch((cause: unknown) => this.#report(subscription, cause))
    this.#end(subscription)
  }

  #report({ method }: Subscription, cause: unknown): void {
    if (cause instanceof PeerClosedError) return
    this.#service.report({
      kind: 'handlerFailed',
      reference: undefined,
      method: method.name,
      cause,
      problems: [],
      context: this.#context,
    })
  }

  async #notify(method: MethodDescriptor, values: readonly JsonValue[]): Promise<void> {
    const params = paramsOf(method, values)
    const [problem] = this.#service.validateResults ? method.validateParams(params) : []
    if (problem !== undefined)
      throw new TypeError(
        `A parameter of ${method.name} violates the contract: ${problem.path} ${problem.message}`,
      )
    await sent(this.#transport, JSON.stringify({ jsonrpc: '2.0', method: method.name, params }))
  }

  #end(subscription: Subscription): void {
    if (!this.#all.delete(subscription.id)) return
    subscription.controller.abort(new DOMException('The subscription has ended', 'AbortError'))
    cleanUp(subscription)
  }
}

/** Ends the iterable. A generator that waits for something else ends later, and errors of the cleanup are ignored. */
function cleanUp({ items }: Subscription): void {
  const returned = async () => items?.return?.()
  returned().catch(() => undefined)
}

/** A random id: a hexadecimal number without leading zeros, which the schemas of most contracts accept. */
function newId(): string {
  return `0x${randomBytes(ID_BYTES).toString('hex').replace(/^0/, '1')}`
}

function isAsyncIterable(value: unknown): value is AsyncIterable<JsonValue> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value
}

/** The parameters of a notification, by position only where the contract demands it. */
function paramsOf({ params, paramStructure }: MethodDescriptor, values: readonly JsonValue[]): JsonValue {
  if (paramStructure === 'by-position') return values
  return Object.fromEntries(values.map((value, at) => [params[at]?.name ?? '', value]))
}
