import { type MethodDescriptor, RawJsonStream, RpcError } from '../rpc/index.js'
import { isSource, toldAtEnd } from './answer-text.js'
import { errorProblems } from './error-problems.js'
import { isPromiseLike } from './in-order.js'
import { errorAnswer, type ItemAnswer, resultAnswer } from './item-answer.js'
import type { Call, CallResult, PositionalParams, ProtocolOptions } from './protocol-options.js'
import type { Reporter } from './reporter.js'
import { resultProblems, resultText } from './result-text.js'

/** Carries out one call whose parameters are valid, and writes its response; never throws, and never rejects. */
export type RunCall<Context> = (
  idText: string | undefined,
  method: MethodDescriptor,
  params: PositionalParams,
  context: Context,
) => ItemAnswer | Promise<ItemAnswer>

/**
 * Makes the last step of a request: call, optional check of the result, response. A call that answers at once is
 * answered at once, without a promise.
 */
export function createRunCall<Context>(
  call: Call<Context>,
  reporter: Reporter<Context>,
  {
    validateResults,
    refuseLength,
    onResponse,
  }: Pick<ProtocolOptions<Context>, 'validateResults' | 'refuseLength' | 'onResponse'>,
): RunCall<Context> {
  /** Tells of a response, or of the error that it is for want of room. */
  function kept(
    idText: string | undefined,
    made: ItemAnswer,
    method: MethodDescriptor,
    context: Context,
  ): ItemAnswer {
    const length = lengthOf(made)
    const refusal = length === 0 ? undefined : refuseLength?.(length, context)
    const answer =
      refusal === undefined
        ? made
        : errorAnswer(idText, reporter.thrown(refusal, method.name, context), reporter)
    onResponse?.(method, answer.error, context)
    return answer
  }

  function failed(
    idText: string | undefined,
    error: RpcError,
    method: MethodDescriptor,
    context: Context,
  ): ItemAnswer {
    return kept(idText, errorAnswer(idText, error, reporter), method, context)
  }

  function thrown(cause: unknown, method: MethodDescriptor, context: Context): RpcError {
    const problems = validateResults && cause instanceof RpcError ? errorProblems(method, cause) : []
    if (problems.length === 0) return reporter.thrown(cause, method.name, context)
    return reporter.errorInvalid(cause as RpcError, problems, method.name, context)
  }

  function succeeded(
    idText: string | undefined,
    method: MethodDescriptor,
    result: CallResult,
    context: Context,
  ): ItemAnswer {
    if (result instanceof RawJsonStream) return streamed(idText, method, result, context)
    const text = resultText(method, result)
    const problems = validateResults ? resultProblems(method, result) : []
    if (problems.length > 0)
      return failed(idText, reporter.resultInvalid(problems, method.name, context), method, context)
    return kept(idText, resultAnswer(idText, text), method, context)
  }

  /** Too late for another answer, a failure is told all the same. */
  function streamed(
    idText: string | undefined,
    method: MethodDescriptor,
    { source }: RawJsonStream,
    context: Context,
  ): ItemAnswer {
    const text = toldAtEnd(source, (failure) => {
      const error = failure && reporter.thrown(failure.reason, method.name, context)
      onResponse?.(method, error, context)
    })
    if (idText === undefined) text.cancel()
    return resultAnswer(idText, text)
  }

  return function runCall(idText, method, params, context) {
    const threw = (cause: unknown): ItemAnswer =>
      failed(idText, thrown(cause, method, context), method, context)
    try {
      const result = call(method, params, context)
      if (!isPromiseLike(result)) return succeeded(idText, method, result, context)
      const settled = (value: CallResult): ItemAnswer => {
        try {
          return succeeded(idText, method, value, context)
        } catch (cause) {
          return threw(cause)
        }
      }
      return Promise.resolve(result).then(settled, threw)
    } catch (cause) {
      return threw(cause)
    }
  }
}

/** Of a text that is made; 0 where there is none. */
const lengthOf = ({ text }: ItemAnswer): number => (text === undefined || isSource(text) ? 0 : text.length)
