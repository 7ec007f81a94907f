import {
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  type Method,
  member,
} from '../../../toolkit/contract/index.js'

/**
 * Returns a call with its answer as an entity: its parameters as `params.<name>`, and `result` or `error`.
 * @param sent all calls of the request. Calls with duplicate ids are skipped, because their answers are ambiguous
 * @param params parameters of the method, which name those that are sent by position
 * @returns an empty list if the answer may belong to another call
 */
export function callEntities(
  call: JsonValue,
  answer: JsonObject,
  sent: readonly JsonValue[],
  params: Method['params'],
): readonly JsonObject[] {
  const id = idOf(call)
  if (!isObject(call) || id === undefined || id === null) return []
  if (sent.filter((other) => idOf(other) === id).length > 1) return []
  const given = member(call, 'params')
  const values = params.map(({ name }, at) => [
    `params.${name}`,
    isArray(given) ? given[at] : isObject(given) ? member(given, name) : undefined,
  ])
  const outcome = ['result', 'error'].map((name) => [name, member(answer, name)])
  return [Object.fromEntries([...values, ...outcome].filter(([, value]) => value !== undefined))]
}

function idOf(call: JsonValue): JsonValue | undefined {
  return isObject(call) ? member(call, 'id') : undefined
}
