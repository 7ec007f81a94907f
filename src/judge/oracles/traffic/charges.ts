import {
  type Contract,
  isArray,
  isObject,
  type JsonValue,
  member,
  messagePattern,
  objectMember,
  stringMember,
} from '../../../toolkit/contract/index.js'
import { answeredCalls, exchangeJson } from '../../record/answered-calls.js'
import type { Exchange } from '../../send/exchange.js'
import { errorCodeOf } from '../../send/limit-errors.js'
import { contractTerms } from '../../terms/contract-terms.js'

/** What the service may have charged for a request, in billed requests. */
export interface Charge {
  readonly least: number
  readonly most: number
  /** The same if the service charged batches and failures twice, and free failures like results. */
  readonly worst: number
}

/** The most that a request without an answer may have been charged. */
const unknown = Number.POSITIVE_INFINITY

/** A request as the judge of remaining requests sees it. */
export interface ChargedRequest {
  readonly charge: Charge
  /** The request and its status in words. */
  readonly kind: string
}

/** Returns the charge of a request by its answer. */
export type ChargeOf = (exchange: Exchange) => ChargedRequest

interface Failure {
  readonly message: RegExp | undefined
  readonly charge: unknown
}

/**
 * Creates the function that computes charges. Each call of an answered request costs `x-cost`. An item that the limit
 * refused costs nothing, and a failure costs what `x-failures` states for its status and message.
 */
export function createCharges(contract: Contract): ChargeOf {
  const { limitErrors } = contractTerms(contract)
  const costs = new Map(contract.methods.map(({ name, extensions }) => [name, extensions['x-cost']]))
  const byStatus = new Map<unknown, Failure[]>()
  for (const failure of Object.values(objectMember(contract.info, 'x-failures')).filter(isObject)) {
    const { httpStatus: status, charge } = failure
    const template = stringMember(failure, 'message')
    const message = template === undefined ? undefined : messagePattern(template)
    byStatus.set(status, [...(byStatus.get(status) ?? []), { message, charge }])
  }

  const costOf = (call: JsonValue): number => {
    const method = isObject(call) ? member(call, 'method') : undefined
    const cost = typeof method === 'string' ? costs.get(method) : undefined
    return typeof cost === 'number' ? cost : 1
  }

  return (exchange) => ({ charge: chargeOf(exchange), kind: kindOf(exchange) })

  function chargeOf(exchange: Exchange): Charge {
    const { outgoing, reply, isRepeated } = exchange
    const { sent: body, received } = exchangeJson(exchange)
    const calls = isArray(body) ? body : [body ?? null]
    const costs = calls.map(costOf)
    const all = Math.max(1, sum(costs))
    if (reply === undefined) return { least: 0, most: unknown, worst: unknown }
    const { least, most } = answered()
    const times = isRepeated === true ? 2 : 1
    // A service may charge failures by mistake, but is unlikely to overcharge a plain result.
    const answer = isArray(body) || reply.status !== 200 ? undefined : received
    const isUsual = isObject(answer) && member(answer, 'error') === undefined
    return { least, most: times * most, worst: isUsual ? times * most : 2 * times * Math.max(most, all) }

    function answered(): Omit<Charge, 'worst'> {
      const { status = 0 } = reply ?? {}
      if (status === 204) return { least: 0, most: 0 }
      if (status === 200 && outgoing.verb === 'POST' && received !== undefined) {
        const refused = answeredCalls(body ?? null, received).filter(([item]) =>
          limitErrors?.has(errorCodeOf(item) ?? Number.NaN),
        )
        const charge = sum(costs) - sum(refused.map(([, call]) => costOf(call ?? null)))
        return { least: charge, most: charge }
      }
      const failures = byStatus.get(status) ?? []
      const message = messageOf(received)
      const named = failures.filter((failure) => failure.message?.test(message))
      const charges = (named.length > 0 ? named : failures).map(({ charge }) => charge)
      const known = charges.filter((charge) => typeof charge === 'number')
      if (known.length === 0 || known.length < charges.length) return { least: 0, most: all }
      return { least: Math.min(...known), most: Math.max(...known) }
    }
  }
}

function kindOf(exchange: Exchange): string {
  const { outgoing, reply } = exchange
  const status = reply === undefined ? 'no answer' : `HTTP ${reply.status}`
  if (outgoing.verb !== 'POST') return `${outgoing.verb} with ${status}`
  const { sent: body } = exchangeJson(exchange)
  const what = isArray(body) ? 'a batch' : body === undefined ? 'a body that is not JSON' : 'a single request'
  return `${what} with ${status}`
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0)

function messageOf(answer: JsonValue | undefined): string {
  return (isObject(answer) && stringMember(objectMember(answer, 'error'), 'message')) || ''
}
