import { type MethodDescriptor, RawJson, RawJsonStream, RpcError } from '../../rpc/index.js'
import type { ItemHandler } from './answer-message.js'
import { errorProblems, resultProblems } from './contract-problems.js'
import { type ItemAnswer, reportEnd, resultAnswer, resultText } from './encode-answer.js'
import type { Failures } from './failures.js'
import { isPromiseLike } from './promises.js'
import type { CallResult, ProtocolOptions } from './protocol-options.js'
import { createCallReader, discoverMethod, type InvalidCall, type ValidCall } from './read-call.js'
import { type Reporter, reportedErrorAnswer } from './reporter.js'

/**
 * Creates the handler of single requests: read, call, check of the result, response. A call that returns a
 * value is answered without a promise.
 */
export function createItemHandler<Context>(
  options: ProtocolOptions<Context>,
  failures: Failures,
  reporter: Reporter<Context>,
): ItemHandler<Context | undefined, ItemAnswer> {
  const { call, document, methods, envelope, validateResults, onResponse } = options
  const reader = createCallReader({ methods, envelope, failures, hasDiscover: document !== undefined })
  const contract = document === undefined ? undefined : new RawJson(document)

  function failed({ idText, method, error }: InvalidCall, context: Context | undefined): ItemAnswer {
    const answer = reportedErrorAnswer(idText, error, reporter)
    onResponse?.(method, answer.error, context)
    return answer
  }

  function errorOf(cause: unknown, method: MethodDescriptor, context: Context): RpcError {
    const problems = validateResults && cause instanceof RpcError ? errorProblems(method, cause) : []
    if (problems.length === 0) return reporter.thrown(cause, method.name, context)
    return reporter.errorInvalid(cause as RpcError, problems, method.name, context)
  }

  function succeeded(ready: ValidCall, result: CallResult, context: Context): ItemAnswer {
    const { idText, method } = ready
    if (result instanceof RawJsonStream) return streamed(ready, result, context)
    const text = resultText(method, result)
    const problems = validateResults ? resultProblems(method, result) : []
    if (problems.length > 0)
      return failed(
        { idText, method, error: reporter.resultInvalid(problems, method.name, context) },
        context,
      )
    onResponse?.(method, undefined, context)
    return resultAnswer(idText, text)
  }

  /** A stream can fail after the answer has begun; `onResponse` is called when it ends. */
  function streamed({ idText, method }: ValidCall, { source }: RawJsonStream, context: Context): ItemAnswer {
    const text = reportEnd(source, (failure) => {
      const error = failure && reporter.thrown(failure.reason, method.name, context)
      onResponse?.(method, error, context)
    })
    if (idText === undefined) text.cancel()
    return resultAnswer(idText, text)
  }

  function run(ready: ValidCall, context: Context): ItemAnswer | Promise<ItemAnswer> {
    const { idText, method, params } = ready
    const threw = (cause: unknown): ItemAnswer =>
      failed({ idText, method, error: errorOf(cause, method, context) }, context)
    try {
      const result = method === discoverMethod ? contract : call(method, params, context)
      if (!isPromiseLike(result)) return succeeded(ready, result, context)
      return Promise.resolve(result)
        .then((value) => succeeded(ready, value, context))
        .catch(threw)
    } catch (cause) {
      return threw(cause)
    }
  }

  return {
    answer(item, rawId, context) {
      try {
        const ready = reader.read(item, rawId)
        return ready.error === undefined ? run(ready, context as Context) : failed(ready, context)
      } catch (cause) {
        const identity = reader.identify(item, rawId)
        return failed({ ...identity, error: reporter.thrown(cause, identity.method?.name, context) }, context)
      }
    },
    refuse: (item, rawId, error, context) => failed({ ...reader.identify(item, rawId), error }, context),
    fail: (error, context) => failed({ idText: 'null', method: undefined, error }, context),
  }
}
