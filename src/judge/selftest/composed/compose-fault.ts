import { applyFault } from '../apply-fault.js'
import type { ChangedReply, Fault, FaultHooks, Forward } from '../fault.js'
import type { HttpReply, HttpRequest } from '../http-message.js'
import { type Condition, conditions, isEqual, type Restriction } from './conditions.js'

/** A fault that shows only under a condition. */
export interface ComposedFault extends Fault {
  /** Name of the simple fault. */
  readonly of: string
  /** Name of the condition. */
  readonly condition: string
}

/**
 * Composes faults with conditions: each fault with all that fit it, or with one of them, in turn.
 * @param seed number that chooses the conditions; undefined chooses all
 */
export function composeFaults(faults: readonly Fault[], seed: number | undefined): readonly ComposedFault[] {
  return faults.flatMap((fault, at) => {
    const fitting = conditions.flatMap((condition) => composeFault(fault, condition) ?? [])
    return seed === undefined ? fitting : fitting.slice((at + seed) % fitting.length).slice(0, 1)
  })
}

/**
 * Restricts a fault to a condition.
 * @returns undefined if the condition cannot restrict the fault
 */
export function composeFault(fault: Fault, condition: Condition): ComposedFault | undefined {
  if (condition.fits?.(fault.begin()) === false) return undefined
  return {
    ...{ name: `${fault.name}+${condition.name}`, of: fault.name, condition: condition.name },
    rule: fault.rule,
    description: `${fault.description} Only ${condition.words}.`,
    begin() {
      const hooks = fault.begin()
      const restriction = condition.begin()
      return { exchange: (request, forward) => exchange(hooks, restriction, request, forward) }
    },
  }
}

/**
 * Sends a request once, in the form that the condition allows. A fault that sends further requests does so even
 * if its change is discarded.
 */
async function exchange(
  hooks: FaultHooks,
  restriction: Restriction,
  request: HttpRequest,
  forward: Forward,
): Promise<ChangedReply> {
  if (restriction.exchange?.(request) === false) return { reply: await forward(request), isChanged: false }
  let right: HttpReply | undefined
  let isSentChanged = false
  const once: Forward = async (sent) => {
    if (right !== undefined) return forward(sent)
    isSentChanged = !isSame(sent, request) && restriction.change?.(undefined, undefined) !== false
    right = await forward(isSentChanged ? sent : request)
    return right
  }
  const { reply } = await applyFault(restricted(hooks, restriction), request, once)
  const sent = right ?? reply
  if (isSentChanged) return { reply, isChanged: true }
  const isChanged = !isSame(reply, sent) && restriction.change?.(sent, reply) !== false
  return { reply: isChanged ? reply : sent, isChanged }
}

/** Hooks for one message, whose positions are counted. */
function restricted(hooks: FaultHooks, { item, answer: replace }: Restriction): FaultHooks {
  const { call, answer } = hooks
  let [calls, answers] = [0, 0]
  return {
    ...hooks,
    ...(call && { call: (one) => (item?.(calls++) === false ? one : call(one)) }),
    ...(answer && {
      async answer(right, one, ask) {
        if (item?.(answers++) === false) return right
        const wrong = await answer(right, one, ask)
        const isChanged = !isEqual(right.result, wrong.result) || !isEqual(right.error, wrong.error)
        return replace && isChanged ? replace(right, wrong) : wrong
      },
    }),
  }
}

function isSame(one: HttpReply | HttpRequest, other: HttpReply | HttpRequest): boolean {
  return Buffer.compare(one.body, other.body) === 0 && headOf(one) === headOf(other)
}

function headOf(message: HttpReply | HttpRequest): string {
  const start = 'status' in message ? [message.status] : [message.verb, message.path]
  return JSON.stringify([...start, message.headers])
}
