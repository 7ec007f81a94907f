import { failure } from '@concordat/node-access-contract/errors'
import type { JsonObject, JsonValue, RawJson, RawJsonStream } from '@concordat/rpc'
import type { AnswerCache } from '../cache/index.js'
import { isList, isObject } from '../ethereum/index.js'
import type { NodeCall, NodeCallOptions } from '../nodes/index.js'
import { normalise, type ObjectShape, resultShapes } from '../nodes/index.js'
import {
  type NetworkTerms,
  nodeCall,
  profileOf,
  type StatedAnswer,
  statedMethods,
} from '../profiles/index.js'
import { resultOf } from './error-for-caller.js'
import { lookUpInBlock } from './lookup.js'
import type { Plan, SingleCaller } from './method-code.js'
import { codeOf } from './registry.js'
import { stateAtBlock, withPlainBlock } from './state.js'

/**
 * Answers a method of the contract on a network, without a node or from the cache where possible.
 * @param params positional and valid, with defaults filled in
 * @throws RpcError an error of the contract
 */
export type AnswerCall = (
  method: string,
  params: readonly JsonValue[],
  caller: SingleCaller,
) => MethodAnswer | Promise<MethodAnswer>

type MethodAnswer = JsonValue | RawJson | RawJsonStream

/** Dependencies of the answers on a network. */
export interface AnswersOptions {
  /** Calls the network's nodes. */
  readonly call: NodeCall
  /** Answers the calls whose results are shared between callers. */
  readonly cached: AnswerCache
  /** The network as the contract states it (`x-networks`). */
  readonly network: NetworkTerms
  /** Maximum number of node calls of one user, a second. */
  readonly nodeCallsPerSecond: () => number
}

/** Creates the function that answers the methods of the contract on a network. */
export function createAnswers({ call, cached, network, nodeCallsPerSecond }: AnswersOptions): AnswerCall {
  function answerOf(name: string, stated: StatedAnswer): Answer {
    if (typeof stated === 'object') {
      const value = 'network' in stated ? network[stated.network] : stated.constant
      return () => value
    }
    const own = codeOf(name)
    if (own !== undefined && 'local' in own) return own.local
    if (own !== undefined && 'single' in own) return own.single(call, nodeCallsPerSecond)
    const profile = profileOf(name)
    const check = own?.check
    if (check !== undefined) {
      return (params, caller) => {
        check(params, network)
        return cached(profile, params, caller)
      }
    }
    if (profile.about.mixedAt < 0) return (params, caller) => cached(profile, params, caller)
    return (params, caller) => cached(profile, withPlainBlock(profile.about, params), caller)
  }

  const answers: ReadonlyMap<string, Answer> = new Map(
    Object.values(statedMethods).map(({ name, extensions }) => [
      name,
      answerOf(name, extensions['x-answer']),
    ]),
  )
  return (method, params, caller) => {
    const answer = answers.get(method)
    if (answer === undefined) throw failure('methodNotFound', { values: { method } })
    return answer(params, caller)
  }
}

type Answer = (params: readonly JsonValue[], caller: SingleCaller) => ReturnType<AnswerCall>

/**
 * Answers a method of the contract by calling nodes.
 * @param params positional and valid, with defaults filled in
 * @throws RpcError an error of the contract
 */
export type Forward = (
  method: string,
  params: readonly JsonValue[],
  options?: NodeCallOptions,
) => Promise<JsonValue>

/**
 * Forwards the call to a node and returns its result.
 * @throws RpcError nodeAnsweredRubbish for null where the contract allows none
 */
const passOn: Plan = async (call, { name }, params, options) => {
  const result = resultOf(await call(name, params, options))
  const types = resultShapes.get(name)?.shape.types
  if (result === null && types !== undefined && types.size > 0 && !types.has('null'))
    throw failure('nodeAnsweredRubbish', { cause: 'the result is null' })
  return result
}

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

/** Creates the function that answers methods by calling nodes, with the plan of each method. */
export function createForwarder(call: NodeCall): Forward {
  return async (method, params, options) => {
    const plan = plans.get(method)
    if (plan === undefined) throw failure('methodNotFound', { values: { method } })
    const result = await plan(call, profileOf(method), params, options)
    return completeResult(call, method, params, result, options)
  }
}

/** Number of list entries that are completed concurrently, so that their calls travel in one batch. */
const entriesAtOnce = 50

/**
 * Adds members to a node's result: those joined from other members (`x-joined`), and those that another call
 * finds (`x-omitted`). A member that the other call does not find stays absent, as does one that would be joined from
 * values that are no texts.
 * @param call calls the node
 * @param params the parameters of the call
 * @param result normalised
 * @throws RpcError when the other call fails
 */
export async function completeResult(
  call: NodeCall,
  method: string,
  params: readonly JsonValue[],
  result: JsonValue,
  options?: NodeCallOptions,
): Promise<JsonValue> {
  const answered = resultShapes.get(method)
  const shape = (isList(result) ? answered?.shape.items : answered?.shape)?.object
  if (answered === undefined || shape === undefined || shape.lookups.length + shape.joined.length === 0)
    return result
  const given = new Map(answered.params.map((name, at) => [`/${name}`, params[at]]))
  const complete = async (entry: JsonValue): Promise<JsonValue> =>
    isObject(entry) ? withLookups(call, joined(entry, shape, given), shape, options) : entry
  if (!isList(result)) return complete(result)
  const completed: JsonValue[] = []
  for (let at = 0; at < result.length; at += entriesAtOnce)
    completed.push(...(await Promise.all(result.slice(at, at + entriesAtOnce).map(complete))))
  return completed
}

/** Adds the members that are joined from other members. */
function joined(
  object: JsonObject,
  shape: ObjectShape,
  given: ReadonlyMap<string, JsonValue | undefined>,
): JsonObject {
  const texts = shape.joined.flatMap(({ name, of, with: separator }) => {
    const parts = of.map(
      ({ member, or }) => object[member] ?? ('constant' in or ? or.constant : given.get(or.param)),
    )
    return parts.every((part) => typeof part === 'string') ? [[name, parts.join(separator)] as const] : []
  })
  return texts.length === 0 ? object : { ...object, ...Object.fromEntries(texts) }
}

/** Adds members that the node omitted, with the results of other calls. */
async function withLookups(
  call: NodeCall,
  object: JsonObject,
  shape: ObjectShape,
  options?: NodeCallOptions,
): Promise<JsonObject> {
  let completed = object
  for (const { name, call: purpose, values, member } of shape.lookups) {
    if (object[name] !== undefined) continue
    const known = Object.entries(values).flatMap(([value, of]) => {
      const told = object[of.slice(1)]
      return told === undefined ? [] : [[value, told] as const]
    })
    if (known.length < Object.keys(values).length) continue
    const result = resultOf(await call(...nodeCall(purpose, Object.fromEntries(known)), options))
    const found = isObject(result) ? result[member] : undefined
    const ofMember = shape.members.get(name)
    const value =
      found === undefined || ofMember === undefined ? undefined : normalise(ofMember, found, false)
    if (value !== undefined) completed = { ...completed, [name]: value }
  }
  return completed
}
