import { randomBytes } from 'node:crypto'
import { type JsonValue, type MethodDescriptor, PeerClosedError } from '@concordat/rpc'
import type { Exchange } from '../protocol/exchange.js'
import type { RpcService } from '../service/create-service.js'
import { type ConnectionTransport, sent } from './transport.js'

interface Subscription {
  readonly id: string
  readonly method: MethodDescriptor
  readonly controller: AbortController
  readonly items: AsyncIterator<JsonValue>
}

const ID_BYTES = 16

/**
 * The subscriptions of one connection. The next item of a subscription is read only after the operating system has
 * accepted the notification of the previous one. So at most one notification of each subscription waits in memory.
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
   * Prepares a subscription. Its items are read after the answer to the exchange is sent.
   * @param itemsFor returns the items; the signal fires at the end of the subscription
   * @returns the subscription's id
   */
  async subscribe(
    method: MethodDescriptor,
    exchange: Exchange<unknown>,
    itemsFor: (signal: AbortSignal) => unknown,
  ): Promise<string> {
    const controller = new AbortController()
    const found = await itemsFor(controller.signal)
    if (!isAsyncIterable(found))
      throw new TypeError(`The handler of ${method.name} must return an async iterable`)
    const id = newId()
    const subscription = { id, method, controller, items: found[Symbol.asyncIterator]() }
    this.#all.set(id, subscription)
    exchange.whenAnswered(() => this.#run(subscription))
    return id
  }

  /** Ends a subscription. Returns false for an unknown id. */
  unsubscribe(id: JsonValue | undefined): boolean {
    const subscription = typeof id === 'string' ? this.#all.get(id) : undefined
    if (subscription === undefined) return false
    this.#end(subscription)
    return true
  }

  /** Ends all subscriptions. */
  close(): void {
    for (const subscription of this.#all.values()) this.#end(subscription)
  }

  async #run(subscription: Subscription): Promise<void> {
    const { id, items, method } = subscription
    const declared = this.#service.roles.subscribe.get(method)
    if (declared === undefined) return
    const isOpen = () => this.#all.has(id)
    try {
      for (let next = await items.next(); !next.done && isOpen(); next = await items.next())
        await this.#notify(declared.notification, [id, next.value])
      if (isOpen() && declared.end !== undefined) await this.#notify(declared.end, [id])
    } catch (cause) {
      // An error after the end is that of the fired signal.
      if (isOpen() && !(cause instanceof PeerClosedError))
        this.#service.report({
          kind: 'handlerFailed',
          reference: undefined,
          method: method.name,
          cause,
          problems: [],
          context: this.#context,
        })
    } finally {
      this.#end(subscription)
    }
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
    // A generator that waits for something else ends later.
    Promise.resolve(subscription.items.return?.()).catch(() => undefined)
  }
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
