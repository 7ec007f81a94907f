import {
  createReadRequest,
  idTextOf,
  type JsonValue,
  type MethodDescriptor,
  type RawId,
  type RpcError,
  type RpcRequest,
  type ValidationProblem,
} from '../rpc/index.js'
import { discoverMethod, withDiscover } from './discover.js'
import { type Failures, failureError } from './failures.js'
import { errorAnswer, type ItemAnswer } from './item-answer.js'
import { readParams } from './positional-params.js'
import type { ProtocolOptions } from './protocol-options.js'
import type { Reporter } from './reporter.js'
import { createRunCall } from './run-call.js'

/** Answers the single requests of a body; nothing here throws or rejects. */
export interface ItemHandler<Context> {
  /** Runs a request from its envelope to its response. */
  answer(item: JsonValue, rawId: RawId, context: Context): ItemAnswer | Promise<ItemAnswer>
  /** Answers with an error in place of running the request; the id is echoed where it can be read. */
  refuse(item: JsonValue, rawId: RawId, error: RpcError, context: Context): ItemAnswer
  /** Answers an error that belongs to no request: its id is `null`. */
  fail(error: RpcError, context: Context | undefined): ItemAnswer
}

const LONGEST_NAME_SHOWN = 64
const MOST_PROBLEMS_SHOWN = 16

/** Makes the handler of single requests: envelope, method, parameters, call, response, in this order. */
export function createItemHandler<Context>(
  options: ProtocolOptions<Context>,
  failures: Failures,
  reporter: Reporter<Context>,
): ItemHandler<Context> {
  const { document, onResponse } = options
  const call = document === undefined ? options.call : withDiscover(options.call, document)
  const runCall = createRunCall(call, reporter, options)
  const readRequest = createReadRequest(options.envelope ?? { idRequired: false })
  const methods = new Map(Object.values(options.methods).map((method) => [method.name, method]))
  if (document !== undefined) methods.set(discoverMethod.name, discoverMethod)

  function respond(
    idText: string | undefined,
    error: RpcError,
    method: MethodDescriptor | undefined,
    context: Context | undefined,
  ): ItemAnswer {
    const answer = errorAnswer(idText, error, reporter)
    onResponse?.(method, answer.error, context)
    return answer
  }

  function refusal(request: RpcRequest, method: MethodDescriptor | undefined): RpcError | undefined {
    if (method === undefined) return failureError(failures.methodNotFound, nameShown(request.method))
    if (!method.notification || request.idText === undefined) return undefined
    return failureError(failures.invalidRequest, { detail: 'this method is a notification and takes no id' })
  }

  function answerCall(
    request: RpcRequest,
    method: MethodDescriptor,
    context: Context,
  ): ItemAnswer | Promise<ItemAnswer> {
    const { idText } = request
    try {
      const read = readParams(method, request.params)
      if (read.problems === undefined) return runCall(idText, method, read.params, context)
      return respond(idText, invalidParams(failures, read.problems), method, context)
    } catch (cause) {
      return respond(idText, reporter.thrown(cause, method.name, context), method, context)
    }
  }

  return {
    answer(item, rawId, context) {
      const request = readRequest(item, rawId)
      if ('problem' in request) {
        const error = failureError(failures.invalidRequest, { detail: request.problem })
        return respond(request.idText, error, undefined, context)
      }
      const method = methods.get(request.method)
      const error = refusal(request, method)
      if (method === undefined || error !== undefined) {
        return respond(request.idText, error ?? failureError(failures.methodNotFound), method, context)
      }
      return answerCall(request, method, context)
    },
    refuse(item, rawId, error, context) {
      const request = readRequest(item, rawId)
      const method = 'problem' in request ? undefined : methods.get(request.method)
      return respond(idTextOf(request), error, method, context)
    },
    fail: (error, context) => respond('null', error, undefined, context),
  }
}

function nameShown(name: string): { detail?: string } {
  return name.length <= LONGEST_NAME_SHOWN ? { detail: name } : {}
}

function invalidParams(
  { invalidParams: failure }: Failures,
  problems: readonly ValidationProblem[],
): RpcError {
  const [first] = problems
  if (!failure.withoutData || !first) return failureError(failure, { data: onTheWire(problems) })
  return failureError(failure, { detail: `${first.path} ${first.message}`.trim() })
}

/** The list that goes out as `data`: bounded, and nothing in it but what the type says. */
function onTheWire(problems: readonly ValidationProblem[]) {
  return problems.slice(0, MOST_PROBLEMS_SHOWN).map(({ path, rule, message }) => ({ path, rule, message }))
}
