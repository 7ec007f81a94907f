import {
  type JsonValue,
  type MethodDescriptor,
  type RawId,
  RawJson,
  RawJsonStream,
  RpcError,
  type ValidationProblem,
} from '@concordat/rpc'
import type { ItemHandler } from './answer-message.js'
import { createDiscover, discoverMethod } from './discover.js'
import {
  errorAnswer,
  type ItemAnswer,
  isSource,
  reportEnd,
  resultAnswer,
  resultText,
} from './encode-answer.js'
import { type Failures, failureError } from './failures.js'
import { isPromiseLike } from './promises.js'
import type { CallResult, ProtocolOptions } from './protocol-options.js'
import { createCallReader, type InvalidCall, type ValidCall } from './read-call.js'
import { CancelledError, type Reporter, reportedErrorAnswer } from './reporter.js'

/** The response to a call, for reports. */
export interface CallItem extends ItemAnswer {
  /** Undefined for an unknown method, and for a message that is not a request. */
  readonly method: string | undefined
  /** When the response was ready, in milliseconds of `performance.now()`. */
  readonly readyAt: number
  /** The end of a streamed result. Never rejects. */
  readonly ended: Promise<CallEnd> | undefined
  /** The message of the call, as it was sent; undefined if it was not read. */
  readonly message: JsonValue | undefined
}

/** Rules of a server whose callers share memory and turns. */
export interface ItemRules<Context> {
  /** Reserves memory for a response until the whole answer is sent; false when none is left. */
  holdAnswer(bytes: number, context: Context): boolean
  /** True if the time until a call has started is counted. */
  isWorkCounted(context: Context): boolean
  /** Counts that time, in milliseconds. */
  worked(context: Context, milliseconds: number): void
}

/** The end of a streamed result. */
export type CallEnd = Pick<CallItem, 'error' | 'readyAt'>

/**
 * Creates the handler of single requests: read, call, check of the result, response. A call that returns a
 * value is answered without a promise.
 */
export function createItemHandler<Context>(
  options: ProtocolOptions<Context>,
  failures: Failures,
  reporter: Reporter<Context>,
  rules?: ItemRules<Context>,
): ItemHandler<Context | undefined, CallItem> {
  const { call, document, methods, envelope, validateResults, onResponse, listed, scopes } = options
  const discover = createDiscover(methods, document)
  const hasDiscover = discover !== undefined
  const reader = createCallReader({ methods, envelope, failures, listed, scopes, hasDiscover })

  function failed(
    { idText, method, error }: InvalidCall,
    context: Context | undefined,
    message: JsonValue | undefined,
  ): CallItem {
    const own = reportedErrorAnswer(idText, error, reporter)
    const answer = isHeld(own, context) ? own : errorAnswer(idText, noMemory())
    onResponse?.(method, answer.error, context)
    return itemOf(answer, method, message)
  }

  function errorOf(cause: unknown, method: MethodDescriptor, context: Context): RpcError {
    const problems = validateResults && cause instanceof RpcError ? errorProblems(method, cause) : []
    if (problems.length === 0) return reporter.thrown(cause, method.name, context)
    return reporter.invalid('errorInvalid', problems, { method: method.name, cause, context })
  }

  function succeeded(ready: ValidCall, result: CallResult, context: Context, message: JsonValue): CallItem {
    const { idText, method } = ready
    if (result instanceof RawJsonStream) return streamed(ready, result, context, message)
    const text = resultText(method, result)
    const problems = validateResults ? resultProblems(method, result) : []
    if (problems.length > 0) {
      const details = { method: method.name, cause: undefined, context }
      const error = reporter.invalid('resultInvalid', problems, details)
      return failed({ idText, method, error }, context, message)
    }
    const answer = resultAnswer(idText, text)
    if (!isHeld(answer, context)) return failed({ idText, method, error: noMemory() }, context, message)
    onResponse?.(method, undefined, context)
    return itemOf(answer, method, message)
  }

  function isHeld({ text }: ItemAnswer, context: Context | undefined): boolean {
    if (rules === undefined || text === undefined || isSource(text) || context === undefined) return true
    return rules.holdAnswer(text.length, context)
  }

  /** A stream can fail after the answer has begun; `onResponse` is called when it ends. */
  function streamed(
    { idText, method }: ValidCall,
    { source }: RawJsonStream,
    context: Context,
    message: JsonValue,
  ): CallItem {
    let end: (end: CallEnd) => void = () => undefined
    const ended = new Promise<CallEnd>((resolve) => {
      end = resolve
    })
    const text = reportEnd(source, (failure) => {
      const error = failure && reporter.thrown(failure.reason, method.name, context)
      onResponse?.(method, error, context)
      end({ error, readyAt: performance.now() })
    })
    if (idText === undefined) text.cancel()
    return itemOf(resultAnswer(idText, text), method, message, ended)
  }

  const noMemory = () => failureError(failures.overloaded, { cause: 'unsent large answers exceed the limit' })

  function run(
    ready: ValidCall,
    context: Context,
    index: number | undefined,
    message: JsonValue,
  ): CallItem | Promise<CallItem> {
    const { idText, method, params } = ready
    const threw = (cause: unknown): CallItem => {
      const isUnanswered = cause instanceof CancelledError && !cause.isAnswered
      const identity = { idText: isUnanswered ? undefined : idText, method }
      return failed({ ...identity, error: errorOf(cause, method, context) }, context, message)
    }
    try {
      const result = method === discoverMethod ? discover?.() : call(method, params, context, index, idText)
      if (!isPromiseLike(result)) return succeeded(ready, result, context, message)
      return Promise.resolve(result)
        .then((value) => succeeded(ready, value, context, message))
        .catch(threw)
    } catch (cause) {
      return threw(cause)
    }
  }

  function answer(
    item: JsonValue,
    rawId: RawId,
    context: Context | undefined,
    index: number | undefined,
  ): CallItem | Promise<CallItem> {
    try {
      const ready = reader.read(item, rawId, context as Context)
      return ready.error === undefined
        ? run(ready, context as Context, index, item)
        : failed(ready, context, item)
    } catch (cause) {
      const identity = reader.identify(item, rawId)
      const error = reporter.thrown(cause, identity.method?.name, context)
      return failed({ ...identity, error }, context, item)
    }
  }

  return {
    answer(item, rawId, context, index) {
      if (context === undefined || rules?.isWorkCounted(context) !== true)
        return answer(item, rawId, context, index)
      const begunAt = performance.now()
      const answering = answer(item, rawId, context, index)
      rules.worked(context, performance.now() - begunAt)
      return answering
    },
    refuse: (item, rawId, error, context) =>
      failed({ ...reader.identify(item, rawId), error }, context, item),
    fail: (error, context) => failed({ idText: 'null', method: undefined, error }, context, undefined),
  }
}

function itemOf(
  { text, error }: ItemAnswer,
  method: MethodDescriptor | undefined,
  message: JsonValue | undefined,
  ended?: Promise<CallEnd>,
): CallItem {
  return { text, error, method: method?.name, readyAt: performance.now(), ended, message }
}

/**
 * Error codes that every method may return (JSON-RPC 2.0, section 5.1): method not found, invalid params and internal
 * error. A subscription called over HTTP is not found.
 */
const alwaysAllowed: readonly number[] = [-32601, -32602, -32603]

/**
 * Finds contract violations of a thrown error: an undeclared code, or data that does not match the schema. A
 * method without declared errors may return every error of the contract, or any error if the contract
 * declares none.
 * @returns an empty list for an allowed error
 */
function errorProblems(
  { name, errors, service }: MethodDescriptor,
  { code, data }: RpcError,
): readonly ValidationProblem[] {
  const known = service?.errors ?? {}
  if (errors === undefined && Object.keys(known).length === 0) return []
  const isDeclared = (key: string) => errors === undefined || errors.includes(key)
  const declared = Object.entries(known).flatMap(([key, error]) =>
    isDeclared(key) || alwaysAllowed.includes(error.code) ? [error] : [],
  )
  const fitting = declared.filter((error) => error.code === code)
  if (fitting.length === 0) {
    if (alwaysAllowed.includes(code)) return []
    const codes = [...new Set(declared.map((error) => error.code))].join(', ')
    const message = `the method "${name}" does not declare the code ${code}: its codes are ${codes || 'none'}`
    return [{ path: '/code', rule: 'errors', message }]
  }
  const [first = [], ...others] = fitting.map(({ validateData }) => validateData?.(data) ?? [])
  if ([first, ...others].some((problems) => problems.length === 0)) return []
  return first.map((problem) => ({ ...problem, path: `/data${problem.path}` }))
}

/** Finds contract violations of a result; raw JSON is parsed for the check. */
function resultProblems(
  method: MethodDescriptor,
  result: Exclude<CallResult, RawJsonStream>,
): readonly ValidationProblem[] {
  if (method.notification || method === discoverMethod) return []
  return method.validateResult(result instanceof RawJson ? parsed(result) : result)
}

function parsed({ text }: RawJson): JsonValue {
  return JSON.parse(typeof text === 'string' ? text : Buffer.from(text).toString())
}
