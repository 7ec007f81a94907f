import { failure } from '../../../generated/errors.js'
import type { JsonValue } from '../../rpc/index.js'
import type { NodeCall, NodeCallOptions } from '../nodes/node-call.js'
import { profileOf, statedMethods } from '../profiles/method-profile.js'
import { completeResult } from './complete-result.js'
import { lookUpInBlock } from './lookup.js'
import type { Plan } from './method-code.js'
import { resultOf } from './node-error.js'
import { codeOf } from './registry.js'
import { stateAtBlock } from './state.js'

/**
 * Answers a method of the contract with the nodes' help.
 * @param params positional, valid, defaults filled in
 * @throws RpcError in the contract's codes
 */
export type Forward = (
  method: string,
  params: readonly JsonValue[],
  options?: NodeCallOptions,
) => Promise<JsonValue>

/** Forwards the call and returns the node's answer. */
const passOn: Plan = (call, { name }, params, options) => call(name, params, options).then(resultOf)

/** Picks the plan of a method without code, by the meaning of a missing block. */
function planOf(name: string): Plan {
  const { about, missing } = profileOf(name)
  if (about.kind !== 'block' || missing === undefined) return passOn
  return missing === 'object' ? lookUpInBlock : stateAtBlock
}

/** The plans of the methods whose results callers share. */
const plans: ReadonlyMap<string, Plan> = new Map(
  Object.values(statedMethods).flatMap(({ name, extensions }): [string, Plan][] => {
    if (extensions['x-answer'] === 'node') return [[name, planOf(name)]]
    const code = codeOf(name)
    return code !== undefined && 'shared' in code ? [[name, code.shared]] : []
  }),
)

/** Creates the function that asks a network's nodes with the plan of each method. */
export function createForwarder(call: NodeCall): Forward {
  return async (method, params, options) => {
    const plan = plans.get(method)
    if (plan === undefined) throw failure('methodNotFound')
    const result = await plan(call, profileOf(method), params, options)
    return completeResult(call, method, params, result, options)
  }
}
