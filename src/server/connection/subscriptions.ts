import { randomBytes } from 'node:crypto'
import { type JsonValue, type MethodDescriptor, PeerClosedError } from '@concordat/rpc'
import type { Exchange, OpenConnection } from '../protocol/exchange.js'
import type { RpcService } from '../service/create-service.js'
import type { SubscribeMethod } from '../service/method-roles.js'

/** Sends one message. Resolves when the operating system has accepted it, and rejects when the connection is closed. */
export type SendMessage = (message: string | Uint8Array) => Promise<void>

/** The subscriptions of one connection. */
export interface Subscriptions extends Pick<OpenConnection, 'subscribe' | 'unsubscribe'> {
  /** Starts the subscriptions whose ids were sent with the answer to an exchange. */
  start(exchange: Exchange<unknown>): void
  /** Ends all subscriptions. */
  close(): void
}

interface Subscription {
  readonly id: string
  readonly method: MethodDescriptor
  readonly exchange: Exchange<unknown>
  readonly controller: AbortController
  readonly items: AsyncIterator<JsonValue>
}

const ID_BYTES = 16

/**
 * Creates the subscriptions of one connection. The next item of a subscription is read only after the operating system
 * has accepted the notification of the previous one. So at most one notification of each subscription waits in memory.
 */
export function createSubscriptions<Context>(
  service: RpcService<Context>,
  context: Context,
  send: SendMessage,
): Subscriptions {
  const all = new Map<string, Subscription>()

  function end(subscription: Subscription): void {
    if (!all.delete(subscription.id)) return
    subscription.controller.abort(new DOMException('The subscription has ended', 'AbortError'))
    // A generator that waits for something else ends later.
    Promise.resolve(subscription.items.return?.()).catch(() => undefined)
  }

  async function notify(method: MethodDescriptor, values: readonly JsonValue[]): Promise<void> {
    const params = paramsOf(method, values)
    const [problem] = service.validateResults ? method.validateParams(params) : []
    if (problem !== undefined)
      throw new TypeError(
        `A parameter of ${method.name} violates the contract: ${problem.path} ${problem.message}`,
      )
    await send(JSON.stringify({ jsonrpc: '2.0', method: method.name, params }))
  }

  async function run(subscription: Subscription, declared: SubscribeMethod): Promise<void> {
    const { id, items, method } = subscription
    try {
      for (let next = await items.next(); !next.done && all.has(id); next = await items.next())
        await notify(declared.notification, [id, next.value])
      if (all.has(id) && declared.end !== undefined) await notify(declared.end, [id])
    } catch (cause) {
      // An error after the end is that of the fired signal.
      if (all.has(id) && !(cause instanceof PeerClosedError))
        service.report({
          kind: 'handlerFailed',
          reference: undefined,
          method: method.name,
          cause,
          problems: [],
          context,
        })
    } finally {
      end(subscription)
    }
  }

  return {
    async subscribe(method, exchange, itemsFor) {
      const controller = new AbortController()
      const found = await itemsFor(controller.signal)
      if (!isAsyncIterable(found))
        throw new TypeError(`The handler of ${method.name} must return an async iterable`)
      const id = newId()
      all.set(id, { id, method, exchange, controller, items: found[Symbol.asyncIterator]() })
      return id
    },
    unsubscribe(id) {
      const subscription = typeof id === 'string' ? all.get(id) : undefined
      if (subscription === undefined) return false
      end(subscription)
      return true
    },
    start(exchange) {
      for (const subscription of all.values()) {
        const declared = service.roles.subscribe.get(subscription.method)
        if (subscription.exchange === exchange && declared !== undefined) run(subscription, declared)
      }
    },
    close() {
      for (const subscription of all.values()) end(subscription)
    },
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
