import { failure } from '../../../generated/errors.js'
import type { JsonValue, RawJson, RawJsonStream } from '../../rpc/index.js'
import type { AnswerCache } from '../cache/answer-cache.js'
import type { NodeCall } from '../nodes/node-call.js'
import { type NetworkTerms, profileOf, type StatedAnswer, statedMethods } from '../profiles/method-profile.js'
import type { SingleCaller } from './method-code.js'
import { codeOf } from './registry.js'

/**
 * Answers a method of the contract on a network, without a node or from the cache where possible.
 * @param params positional, valid, defaults filled in
 * @throws RpcError in the contract's codes
 */
export type AnswerCall = (
  method: string,
  params: readonly JsonValue[],
  caller: SingleCaller,
) => MethodAnswer | Promise<MethodAnswer>

type MethodAnswer = JsonValue | RawJson | RawJsonStream

/** The parts that answer the calls of a network. */
export interface AnswersOptions {
  /** Asks the network's nodes. */
  readonly call: NodeCall
  /** Answers calls whose results callers share. */
  readonly cached: AnswerCache
  /** The network as the contract states it (`x-networks`). */
  readonly network: NetworkTerms
}

/** Creates the function that answers the methods of the contract on a network. */
export function createAnswers({ call, cached, network }: AnswersOptions): AnswerCall {
  function answerOf(name: string, stated: StatedAnswer): Answer {
    if (typeof stated === 'object') {
      const value = 'network' in stated ? network[stated.network] : stated.constant
      return () => value
    }
    const own = codeOf(name)
    if (own !== undefined && 'local' in own) return own.local
    if (own !== undefined && 'single' in own) return (params, caller) => own.single(call, params, caller)
    const profile = profileOf(name)
    return (params, caller) => cached(profile, params, caller)
  }

  const answers: ReadonlyMap<string, Answer> = new Map(
    Object.values(statedMethods).map(({ name, extensions }) => [
      name,
      answerOf(name, extensions['x-answer']),
    ]),
  )
  return (method, params, caller) => {
    const answer = answers.get(method)
    if (answer === undefined) throw failure('methodNotFound')
    return answer(params, caller)
  }
}

type Answer = (params: readonly JsonValue[], caller: SingleCaller) => ReturnType<AnswerCall>
