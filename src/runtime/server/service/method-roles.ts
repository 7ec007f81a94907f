import type { JsonValue, MethodDescriptor } from '@concordat/rpc'
import type { Methods } from '../protocol/protocol-options.js'

/** A method that starts a subscription (`x-subscription`). */
export interface SubscribeMethod {
  /** The notification that carries items: its first parameter is the subscription's id, its second the item. */
  readonly notification: MethodDescriptor
  /** The notification after the last item, with the subscription's id; undefined if there is none. */
  readonly end: MethodDescriptor | undefined
  /** The method that ends the subscription. */
  readonly unsubscribe: MethodDescriptor
}

/** A notification that cancels a call (`x-cancels`). */
export interface CancelMethod {
  /** Position of the parameter with the id of the call. */
  readonly position: number
  /** False if a cancelled call is not answered. */
  readonly isAnswered: boolean
}

/** The methods of a contract by what they do on a connection. */
export interface MethodRoles {
  /** Methods that clients call (`x-direction`: `clientToServer`, the default, or `both`). */
  readonly served: Methods
  /** Methods that the server calls (`x-direction`: `serverToClient` or `both`). */
  readonly called: readonly MethodDescriptor[]
  readonly subscribe: ReadonlyMap<MethodDescriptor, SubscribeMethod>
  /** Methods that end a subscription: their first parameter is its id, and their result a boolean. */
  readonly unsubscribe: ReadonlySet<MethodDescriptor>
  /** Notifications that cancel calls. */
  readonly cancel: ReadonlyMap<MethodDescriptor, CancelMethod>
}

/**
 * Reads the roles of methods from `x-direction`, `x-subscription` and `x-cancels`.
 * @throws TypeError if a subscription names a method that the contract does not have, or `x-cancels` does not fit
 */
export function methodRoles(methods: Methods): MethodRoles {
  const all = Object.values(methods)
  const named = (wanted: JsonValue | undefined): MethodDescriptor | undefined =>
    all.find(({ name }) => name === wanted)
  const subscribe = new Map<MethodDescriptor, SubscribeMethod>()
  const unsubscribe = new Set<MethodDescriptor>()
  for (const method of all) {
    const declared = method.extensions['x-subscription']
    if (typeof declared !== 'object' || declared === null) continue
    const members = declared as Readonly<Record<string, JsonValue>>
    const notification = named(members['notification'])
    const stop = named(members['unsubscribe'])
    if (notification === undefined || stop === undefined)
      throw new TypeError(`x-subscription of "${method.name}" must name two methods of the contract`)
    subscribe.set(method, { notification, end: named(members['end']), unsubscribe: stop })
    unsubscribe.add(stop)
  }
  const cancel = new Map(all.flatMap((method) => cancelling(method)))
  const direction = ({ extensions }: MethodDescriptor) => extensions['x-direction'] ?? 'clientToServer'
  return {
    served: Object.fromEntries(Object.entries(methods).filter(([, m]) => direction(m) !== 'serverToClient')),
    called: all.filter((method) => direction(method) !== 'clientToServer'),
    subscribe,
    unsubscribe,
    cancel,
  }
}

function cancelling(method: MethodDescriptor): readonly (readonly [MethodDescriptor, CancelMethod])[] {
  const declared = method.extensions['x-cancels'] as Readonly<Record<string, JsonValue>> | null | undefined
  if (declared === undefined) return []
  const position = method.params.findIndex(({ name }) => name === declared?.['id'])
  if (position < 0 || !method.notification)
    throw new TypeError(`x-cancels of "${method.name}" must name a parameter of a notification`)
  return [[method, { position, isAnswered: declared?.['answer'] !== 'none' }]]
}
