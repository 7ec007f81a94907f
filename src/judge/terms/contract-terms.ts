import {
  arrayMember,
  type Contract,
  isObject,
  type JsonObject,
  type JsonValue,
  joinPointer,
  member,
  numberMember,
  objectMember,
  sessionOf,
  stringMember,
} from '../../toolkit/contract/index.js'
import type { SubscriptionMethods } from '../send/exchange.js'
import type { LimitErrors } from '../send/limit-errors.js'

/** Methods that need a connection, or that only the server calls. */
export interface ConnectionMethods {
  /** The subscriptions (`x-subscription`), by the method that subscribes. */
  readonly subscriptions: ReadonlyMap<string, SubscriptionMethods>
  /** Methods that end subscriptions. */
  readonly unsubscribeMethods: ReadonlySet<string>
  /** Methods that only the server calls (`x-direction`). */
  readonly clientMethods: ReadonlySet<string>
  /** Methods that are called when a connection is opened (`x-session`), and usually only then. */
  readonly openingMethods: ReadonlySet<string>
}

/** A rule in the contract's prose. */
export interface ContractRule {
  readonly id: string
  readonly text: string
  readonly section: string
  readonly level: string
  /** JSON pointer of the rule in the contract. */
  readonly pointer: string
}

/** The call that reads the head, with JSONPath (RFC 9535) for number and hash in its answer. */
export interface HeadQuestion {
  readonly method: string
  readonly params: readonly JsonValue[]
  readonly number: string
  readonly hash: string
  /** Parameter values that refer to the moving head, such as `latest`. A block number can replace them. */
  readonly moving: readonly JsonValue[]
  /** Parameter values that refer to unsettled data, such as `pending`. Replicas may differ on it. */
  readonly unsettled: readonly JsonValue[]
  /** Longest time for which an answer about the head is cached, in milliseconds. */
  readonly cachedMilliseconds: number
}

/** Service-level terms of a contract, beyond methods and schemas. All of them are optional. */
export interface ContractTerms {
  readonly connectionMethods: ConnectionMethods
  readonly rules: readonly ContractRule[]
  readonly head: HeadQuestion | undefined
  /** `x-networks`: identifying numbers of each network, by name. */
  readonly networks: JsonObject
  /** `x-http.paths`: paths of the service, with `{key}` as the placeholder for the key. */
  readonly paths: readonly string[]
  /** Methods that return a number of the network (`x-answer`), with their rules. */
  readonly networkMethods: readonly {
    readonly method: string
    /** Name of the member of `x-networks`. */
    readonly member: string
    readonly rules: readonly string[]
  }[]
  /** Rate-limit errors. Undefined if the contract states no HTTP statuses for errors. */
  readonly limitErrors: LimitErrors | undefined
  /** Maximum charge by HTTP status, from `x-failures`. Statuses without a known charge are missing. */
  readonly charges: ReadonlyMap<number, number>
  /** Variables available to every scenario: `limit.…`, and `network.…` when the network is known. */
  readonly variables: (network: string | undefined) => ReadonlyMap<string, JsonValue>
}

/** Reads a contract's terms from its info object and its methods. */
export function contractTerms(contract: Contract): ContractTerms {
  const { info } = contract
  const networks = objectMember(info, 'x-networks')
  const limits = objectMember(info, 'x-limits')
  return {
    rules: contractRules(contract),
    head: headQuestion(objectMember(info, 'x-head'), limits),
    networkMethods: networkMethods(contract),
    connectionMethods: connectionMethods(contract),
    networks,
    paths: arrayMember(objectMember(info, 'x-http'), 'paths').filter((path) => typeof path === 'string'),
    limitErrors: limitErrors(contract),
    charges: charges(contract),
    variables: (network) => {
      const variables = new Map<string, JsonValue>()
      for (const [name, limit] of Object.entries(limits)) {
        if (isObject(limit) && limit['value'] !== undefined) variables.set(`limit.${name}`, limit['value'])
      }
      for (const [name, value] of Object.entries(objectMember(networks, network ?? ''))) {
        if (value !== undefined) variables.set(`network.${name}`, value)
      }
      return variables
    },
  }
}

/** Collects `x-rules` of the info object and of the methods. */
function contractRules({ info, methods }: Contract): readonly ContractRule[] {
  const places = [
    { list: arrayMember(info, 'x-rules'), pointer: '#/info/x-rules' },
    ...methods.map(({ extensions, pointer }) => ({
      list: arrayMember(extensions, 'x-rules'),
      pointer: joinPointer(pointer, 'x-rules'),
    })),
  ]
  return places.flatMap(({ list, pointer }) =>
    list.flatMap((rule, index) => {
      // A string refers to a rule that is defined elsewhere.
      const id = isObject(rule) ? stringMember(rule, 'id') : undefined
      if (!isObject(rule) || id === undefined) return []
      return [
        {
          id,
          text: stringMember(rule, 'text') ?? '',
          section: stringMember(rule, 'section') ?? '',
          level: stringMember(rule, 'level') ?? 'mandatory',
          pointer: joinPointer(pointer, index),
        },
      ]
    }),
  )
}

function networkMethods({ methods }: Contract): ContractTerms['networkMethods'] {
  return methods.flatMap(({ name: method, extensions }) => {
    const member = stringMember(objectMember(extensions, 'x-answer'), 'network')
    const rules = arrayMember(extensions, 'x-rules').filter((rule) => typeof rule === 'string')
    return member === undefined ? [] : [{ method, member, rules }]
  })
}

function limitErrors({ info, errors }: Contract): LimitErrors | undefined {
  const failures = Object.values(objectMember(info, 'x-failures')).filter(isObject)
  if (failures.length === 0 && errors.every(({ httpStatus }) => httpStatus === undefined)) return undefined
  const limits = failures.filter((failure) => failure['httpStatus'] === TOO_MANY)
  return new Map(
    errors.flatMap(({ key, code, httpStatus, retryAfterSeconds }) => {
      const failure = limits.find(({ error }) => error === key)
      if (httpStatus !== TOO_MANY && failure === undefined) return []
      const seconds = (failure && numberMember(failure, 'retryAfterSeconds')) ?? retryAfterSeconds
      return [[code, seconds === undefined ? undefined : seconds * 1000]]
    }),
  )
}

const TOO_MANY = 429

/**
 * Reads the highest charge for each HTTP status. Status 200 is left out, since its calls are always charged.
 */
function charges({ info }: Contract): ReadonlyMap<number, number> {
  const charges = new Map<number, number>()
  const unknown = new Set<number>()
  for (const failure of Object.values(objectMember(info, 'x-failures')).filter(isObject)) {
    const { httpStatus: status, charge } = failure
    if (typeof status !== 'number' || status === 200) continue
    if (typeof charge !== 'number') unknown.add(status)
    else charges.set(status, Math.max(charges.get(status) ?? 0, charge))
  }
  for (const status of unknown) charges.delete(status)
  // A 204 response answers no call, so it costs nothing.
  if (charges.size > 0) charges.set(204, 0)
  return charges
}

function headQuestion(stated: JsonObject, limits: JsonObject): HeadQuestion | undefined {
  const method = stringMember(stated, 'method')
  const number = stringMember(stated, 'number')
  const hash = stringMember(stated, 'hash')
  if (method === undefined || number === undefined || hash === undefined) return undefined
  const [moving, unsettled] = [arrayMember(stated, 'moving'), arrayMember(stated, 'unsettled')]
  const seconds = member(objectMember(limits, stringMember(stated, 'cachedFor') ?? ''), 'value')
  const cachedMilliseconds = typeof seconds === 'number' ? seconds * 1000 : 0
  return {
    method,
    params: arrayMember(stated, 'params'),
    number,
    hash,
    moving,
    unsettled,
    cachedMilliseconds,
  }
}

/** Reads `x-subscription`, `x-direction` and `x-session`. Subscriptions without their two methods are ignored. */
export function connectionMethods({ info, methods }: Contract): ConnectionMethods {
  const byName = new Map(methods.map((method) => [method.name, method]))
  const subscriptions = methods.flatMap(({ name, extensions }) => {
    const declared = extensions['x-subscription']
    if (!isObject(declared)) return []
    const notification = stringMember(declared, 'notification')
    const unsubscribe = stringMember(declared, 'unsubscribe')
    if (notification === undefined || unsubscribe === undefined) return []
    const { paramStructure, params = [] } = byName.get(unsubscribe) ?? {}
    const unsubscribeParam = paramStructure === 'by-name' ? params[0]?.name : undefined
    const end = stringMember(declared, 'end')
    return [[name, { notification, end, unsubscribe, unsubscribeParam }] as const]
  })
  const { open, serverMethods } = sessionOf({ info, methods })
  const opening = open.filter(({ isNotification }) => !isNotification)
  return {
    subscriptions: new Map(subscriptions),
    unsubscribeMethods: new Set(subscriptions.map(([, { unsubscribe }]) => unsubscribe)),
    clientMethods: serverMethods,
    openingMethods: new Set(opening.map(({ method }) => method)),
  }
}
