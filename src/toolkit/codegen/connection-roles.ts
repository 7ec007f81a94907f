import { type Contract, contractError, isObject, type Method, member, type Param } from '../contract/index.js'

/** A subscription (`x-subscription`), by the methods that it names. */
export interface SubscriptionRoles {
  readonly notification: Method
  /** The parameter of the notification with the item. */
  readonly item: Param | undefined
  readonly unsubscribe: Method
  readonly end: Method | undefined
}

/** The methods of a contract by what they do on a connection (`x-direction`, `x-subscription`). */
export interface ConnectionRoles {
  /** Methods that clients call. */
  readonly served: readonly Method[]
  /** Methods that need a handler: the served ones without those that end subscriptions. */
  readonly implemented: readonly Method[]
  /** Methods that the server calls. */
  readonly called: readonly Method[]
  /** Methods that clients call without a connection: those with a handler that start no subscription. */
  readonly plain: readonly Method[]
  /** Methods that start subscriptions. */
  readonly subscriptions: ReadonlyMap<Method, SubscriptionRoles>
}

const directions = ['clientToServer', 'serverToClient', 'both']

/**
 * Reads the roles of a contract's methods.
 * @throws ContractError for an unknown direction, and for a subscription whose methods do not exist or lack parameters
 */
export function connectionRoles({ methods }: Contract): ConnectionRoles {
  const subscriptions = new Map<Method, SubscriptionRoles>()
  for (const method of methods) {
    const declared = method.extensions['x-subscription']
    if (declared === undefined) continue
    const pointer = `${method.pointer}/x-subscription`
    if (!isObject(declared)) throw contractError(pointer, 'must be an object')
    const named = (role: string, params: number): Method => {
      const found = methods.find(({ name }) => name === member(declared, role))
      if (found === undefined)
        throw contractError(`${pointer}/${role}`, 'must name a method of this document')
      if (found.params.length >= params) return found
      throw contractError(
        found.pointer,
        `needs ${params} parameters: the subscription's id${params > 1 ? ', then the item' : ''}`,
      )
    }
    const notification = named('notification', 2)
    subscriptions.set(method, {
      notification,
      item: notification.params[1],
      unsubscribe: named('unsubscribe', 1),
      end: member(declared, 'end') === undefined ? undefined : named('end', 1),
    })
  }
  const direction = ({ extensions, pointer }: Method) => {
    const own = extensions['x-direction'] ?? 'clientToServer'
    if (typeof own === 'string' && directions.includes(own)) return own
    throw contractError(`${pointer}/x-direction`, `must be one of ${directions.join(', ')}`)
  }
  const served = methods.filter((method) => direction(method) !== 'serverToClient')
  const unsubscribes = new Set([...subscriptions.values()].map(({ unsubscribe }) => unsubscribe))
  const implemented = served.filter((method) => !unsubscribes.has(method))
  return {
    served,
    implemented,
    plain: implemented.filter((method) => !subscriptions.has(method)),
    called: methods.filter((method) => direction(method) !== 'clientToServer'),
    subscriptions,
  }
}
