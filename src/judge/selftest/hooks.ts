import type { JsonObject, JsonValue } from '@concordat/rpc'
import { isObject } from '../../toolkit/contract/index.js'
import type { Ask, FaultHooks } from './fault.js'
import { type Call, type CallAnswer, isList } from './rpc-message.js'

/** Context of a change: the call, and a way to send further calls. */
export interface Around {
  readonly call: Call
  readonly params: readonly JsonValue[]
  readonly ask: Ask
}

type Later<Value> = Value | Promise<Value>

/** Changes the results of the given methods; errors pass unchanged. */
export function onResult(
  methods: readonly string[],
  change: (result: JsonValue, around: Around) => Later<JsonValue>,
): FaultHooks {
  return onAnswer(methods, async (answer, around) => {
    if (answer.result === undefined) return answer
    const result = await change(answer.result, around)
    return result === answer.result ? answer : { ...answer, result }
  })
}

/** Changes object results of the given methods; other results pass unchanged. */
export function onObject(
  methods: readonly string[],
  change: (result: JsonObject, around: Around) => Later<JsonValue>,
): FaultHooks {
  return onResult(methods, (result, around) => (isObject(result) ? change(result, around) : result))
}

/** Changes list results of the given methods; other results pass unchanged. */
export function onList(
  methods: readonly string[],
  change: (result: readonly JsonValue[], around: Around) => Later<JsonValue>,
): FaultHooks {
  return onResult(methods, (result, around) => (isList(result) ? change(result, around) : result))
}

/** Changes the answers of the given methods, including errors. */
export function onAnswer(
  methods: readonly string[],
  change: (answer: CallAnswer, around: Around) => Later<CallAnswer>,
): FaultHooks {
  return {
    answer: (answer, call, ask) =>
      methods.includes(call.method) ? change(answer, { call, params: paramsOf(call), ask }) : answer,
  }
}

/** Changes the errors of all methods. */
export function onError(change: (error: JsonObject, answer: CallAnswer) => CallAnswer): FaultHooks {
  return { answer: (answer) => (isObject(answer.error) ? change(answer.error, answer) : answer) }
}

/** Replaces one error code with another. */
export function codeBecomes(code: number, other: number): FaultHooks {
  return onError((error, answer) =>
    error['code'] === code ? { ...answer, error: { ...error, code: other } } : answer,
  )
}

/** Answers calls of the given methods with a result when the service refuses them with a code. */
export function answeredFor(code: number, methods: readonly string[], result: JsonValue): FaultHooks {
  return onAnswer(methods, (answer) => (codeOf(answer) === code ? answered(answer, result) : answer))
}

/** Changes one member of the objects that the given methods return; undefined removes it. */
export function onMember(
  methods: readonly string[],
  name: string,
  change: (value: JsonValue | undefined, object: JsonObject) => JsonValue | undefined,
): FaultHooks {
  return onObject(methods, (object) => ({ ...object, [name]: change(object[name], object) }))
}

/** Changes the parameters of calls to the given methods. */
export function onParams(
  methods: readonly string[],
  change: (params: readonly JsonValue[]) => readonly JsonValue[],
): FaultHooks {
  return {
    call(call) {
      if (!methods.includes(call.method)) return call
      const params = paramsOf(call)
      const changed = change(params)
      return changed === params ? call : { ...call, params: changed }
    },
  }
}

/** Positional parameters; empty if they are absent or not a list. */
function paramsOf({ params }: Call): readonly JsonValue[] {
  return isList(params) ? params : []
}

/** Replaces the content of an answer with an error. */
export function refused(answer: CallAnswer, code: number, message: string, data?: JsonValue): CallAnswer {
  return { ...answer, result: undefined, error: { code, message, data } }
}

/** Replaces the content of an answer with a result. */
export function answered(answer: CallAnswer, result: JsonValue): CallAnswer {
  return { ...answer, error: undefined, result }
}

/** Error code of an answer; undefined for a result. */
export function codeOf({ error }: CallAnswer): JsonValue | undefined {
  return isObject(error) ? error['code'] : undefined
}

/** Returns an object without one of its members. */
export function without(object: JsonObject, member: string): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([name]) => name !== member))
}

/** Returns the objects of a list; empty for other values. */
export function objects(list: JsonValue | undefined): readonly JsonObject[] {
  return isList(list) ? list.filter(isObject) : []
}
