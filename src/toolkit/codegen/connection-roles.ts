import { type Contract, contractError, isObject, type Method, member, type Param } from '../contract/index.js'

/** A subscription (`x-subscription`), by the methods that it names. */
export interface SubscriptionRoles {
  readonly notification: Method
  /** The parameter of the notification with the item. */
  readonly item: Param | undefined
  readonly unsubscribe: Method
  readonly end: Method | undefined
}

/** The methods of a contract by what they do on a connection (`x-direction`, `x-subscription`, `x-cancels`). */
export interface ConnectionRoles {
  /** Methods that clients call. */
  readonly served: readonly Method[]
  /** Methods that need a handler: the served ones without those that end subscriptions or cancel calls. */
  readonly implemented: readonly Method[]
  /** Methods that the server calls. */
  readonly called: readonly Method[]
  /** Methods that clients call without a connection: those with a handler that start no subscription. */
  readonly plain: readonly Method[]
  /** Methods that start subscriptions. */
  readonly subscriptions: ReadonlyMap<Method, SubscriptionRoles>
  /** The notification that clients cancel calls with. */
  readonly cancel: CancelRole | undefined
  /** The notification that the server cancels its calls with. */
  readonly cancelled: CancelRole | undefined
}

/** A notification that cancels calls (`x-cancels`), and its parameter with the id. */
export interface CancelRole {
  readonly method: Method
  readonly position: number
  /** False if a cancelled call is not answered. */
  readonly isAnswered: boolean
}

const directions = ['clientToServer', 'serverToClient', 'both']

/**
 * Reads the roles of a contract's methods.
 * @throws ContractError for an unknown direction, for a subscription whose methods do not exist or lack parameters, and
 *   for a cancelling method that is no notification or lacks its parameter
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
  const called = methods.filter((method) => direction(method) !== 'clientToServer')
  const unsubscribes = new Set([...subscriptions.values()].map(({ unsubscribe }) => unsubscribe))
  const cancels = served.flatMap(cancelling)
  const implemented = served.filter(
    (method) => !unsubscribes.has(method) && !cancels.some((one) => one.method === method),
  )
  return {
    served,
    implemented,
    plain: implemented.filter((method) => !subscriptions.has(method)),
    called,
    subscriptions,
    cancel: cancels[0],
    cancelled: called.flatMap(cancelling)[0],
  }
}

/** Returns the role of a notification that cancels calls (`x-cancels`). */
function cancelling(method: Method): readonly CancelRole[] {
  const { extensions, params, pointer, result } = method
  const declared = extensions['x-cancels']
  if (declared === undefined) return []
  const id = isObject(declared) ? member(declared, 'id') : undefined
  const position = params.findIndex(({ name }) => name === id)
  const isAnswered = !isObject(declared) || member(declared, 'answer') !== 'none'
  if (result === undefined && position >= 0) return [{ method, position, isAnswered }]
  throw contractError(`${pointer}/x-cancels`, 'must be of a notification, and "id" one of its parameters')
}
