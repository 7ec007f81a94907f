import type { JsonObject, JsonValue } from '@concordat/rpc'
import { type ClientMethod, methodOf, paramName } from '../client-contract.js'
import type { CallOptions, MiddlewareCall, Next } from '../client-options.js'
import type { Fault } from '../fault.js'
import { isTransportError } from '../transport-error.js'
import type { WireParams } from '../wire-params.js'
import type { SocketContract, SubscriptionMethods } from './connect-options.js'
import { namedParams } from './received-calls.js'
import { withResult } from './socket-calls.js'
import { ItemBuffer } from './subscription.js'

/** A subscription that was started. */
interface Active {
  readonly name: string
  readonly params: WireParams
  readonly options: CallOptions
  readonly methods: SubscriptionMethods
  readonly buffer: ItemBuffer
  /** The id on the current connection. */
  id: JsonValue | undefined
  /** The call that subscribes, until it is answered. It may wait for a connection. */
  subscribing: symbol | undefined
}

/** The subscriptions of a client over its connections. */
export class Subscriptions {
  readonly #contract: SocketContract
  readonly #call: Next
  readonly #reconnects: boolean
  readonly #active = new Set<Active>()
  readonly #byKey = new Map<string, Active>()
  /** Number of connections so far. */
  #connections = 0

  /**
   * @param call sends a call
   * @param reconnects true if lost connections are replaced
   */
  constructor(contract: SocketContract, call: Next, reconnects: boolean) {
    this.#contract = contract
    this.#call = call
    this.#reconnects = reconnects
  }

  /** Creates the iteration of a subscription. The first `next` subscribes. */
  create({ method: name, params, options }: MiddlewareCall): ItemBuffer {
    const methods = this.#contract.subscriptions?.[name]
    if (methods === undefined) throw new TypeError(`${name} is no subscription`)
    const { timeoutMilliseconds } = options
    const buffer: ItemBuffer = new ItemBuffer(name, options, {
      start: () => {
        this.#active.add(active)
        this.#subscribe(active).catch((error: unknown) => buffer.end(error))
      },
      stop: () => this.#stop(active),
    })
    const active: Active = {
      ...{ name, params, methods, buffer },
      options: timeoutMilliseconds === undefined ? {} : { timeoutMilliseconds },
      id: undefined,
      subscribing: undefined,
    }
    return buffer
  }

  /**
   * Takes a notification.
   * @returns false if it belongs to no subscription of the contract
   */
  receive({ method, params }: JsonObject): boolean {
    const name = String(method)
    const roles = Object.values(this.#contract.subscriptions ?? {}).filter(
      ({ notification, end }) => notification === name || end === name,
    )
    const declared = this.#contract.received
    const descriptor = declared && Object.hasOwn(declared, name) ? declared[name] : undefined
    if (roles.length === 0 || descriptor === undefined) return false
    const [id, item] = valuesOf(descriptor, params)
    for (const { notification, end } of roles) {
      const active = this.#byKey.get(keyOf(notification, id))
      if (name === notification) active?.buffer.push(item ?? null)
      else if (name === end && active !== undefined) {
        this.#forget(active)
        active.buffer.end()
      }
    }
    return true
  }

  /** Subscribes again on a new connection. A call that waits for the connection is sent by itself. */
  opened(): void {
    this.#connections += 1
    for (const active of this.#active) if (!active.subscribing) this.#subscribeAgain(active)
  }

  /** Ends the subscriptions whose application handles no gaps. Those without an answer end if their call fails. */
  lost(fault: Fault): void {
    this.#byKey.clear()
    for (const active of [...this.#active]) {
      active.id = undefined
      const survives = active.subscribing !== undefined || (this.#reconnects && active.buffer.toleratesGaps)
      if (!survives) active.buffer.end(fault(active.name))
    }
  }

  /** Ends all subscriptions, with an error unless the client was closed. */
  ended(fault: Fault | undefined): void {
    for (const { buffer, name } of [...this.#active]) {
      if (fault === undefined) buffer.end()
      else buffer.end(fault(name))
    }
  }

  #subscribeAgain(active: Active): void {
    const connection = this.#connections
    this.#subscribe(active, () => active.buffer.pushGap('reconnect')).catch((error: unknown) => {
      if (!isTransportError(error, 'network')) active.buffer.end(error)
      // The next connection is another attempt. It may have opened before the error arrived here.
      else if (this.#connections !== connection && this.#active.has(active)) this.#subscribeAgain(active)
    })
  }

  async #subscribe(active: Active, onConfirmed?: () => void): Promise<void> {
    const { name, params, options, methods } = active
    // The id must be known before the next message is handled.
    const onResult = (id: JsonValue) => {
      active.subscribing = undefined
      if (active.buffer.isEnded) return this.#unsubscribe(active, id)
      active.id = id
      this.#byKey.set(keyOf(methods.notification, id), active)
      onConfirmed?.()
    }
    const call = Symbol(name)
    active.subscribing = call
    try {
      await this.#call({ method: name, params, options: withResult(options, onResult) })
    } finally {
      if (active.subscribing === call) active.subscribing = undefined
    }
  }

  #stop(active: Active): void {
    const { id } = active
    this.#forget(active)
    if (id !== undefined) this.#unsubscribe(active, id)
  }

  #forget(active: Active): void {
    this.#active.delete(active)
    this.#byKey.delete(keyOf(active.methods.notification, active.id))
    active.id = undefined
  }

  #unsubscribe({ methods: { unsubscribe } }: Active, id: JsonValue): void {
    const { params = [], paramStructure } = methodOf(this.#contract, unsubscribe) ?? {}
    const [first] = params
    const isNamed = paramStructure === 'by-name' && first !== undefined
    const sent = isNamed ? { [paramName(first)]: id } : [id]
    // A failure is without effect: the server ends subscriptions with the connection.
    this.#call({ method: unsubscribe, params: sent, options: {} }).catch(() => undefined)
  }
}

/** The values of the first two parameters. */
function valuesOf(method: ClientMethod, params: JsonValue | undefined): readonly (JsonValue | undefined)[] {
  const named = namedParams(method, params)
  return (method.params ?? []).slice(0, 2).map((param) => named[paramName(param)])
}

/** The key of a subscription on a connection. Ids are unique for a notification. */
function keyOf(notification: string, id: JsonValue | undefined): string {
  return JSON.stringify([notification, id])
}
