import type { JsonObject, JsonValue } from '../../rpc/index.js'
import { isList, isObject } from '../ethereum/hex.js'
import type { NodeCall, NodeCallOptions } from '../nodes/node-call.js'
import { type ObjectShape, resultShapes } from '../nodes/result-shape.js'
import { nodeCall } from '../profiles/node-calls.js'
import { resultOf } from './node-error.js'

/** Entries of a list that are completed concurrently, so that their calls travel in one batch. */
const entriesAtOnce = 50

/**
 * Adds members to a node's result: those joined from other members (`x-joined`), and those that another call finds
 * (`x-omitted`). A member that the other call does not find stays absent.
 * @param call asks the node
 * @param params the parameters of the call
 * @param result normalised
 * @throws RpcError when the node gives an error to the other call
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

/** Adds the members that are joined from others. */
function joined(
  object: JsonObject,
  shape: ObjectShape,
  given: ReadonlyMap<string, JsonValue | undefined>,
): JsonObject {
  const texts = shape.joined.map(({ name, of, with: separator }) => {
    const parts = of.map(
      ({ member, or }) => object[member] ?? ('constant' in or ? or.constant : given.get(or.param)),
    )
    return [name, parts.join(separator)] as const
  })
  return texts.length === 0 ? object : { ...object, ...Object.fromEntries(texts) }
}

/** Adds the members that the node omitted and another call finds. */
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
    const value = isObject(result) ? result[member] : undefined
    if (value !== undefined) completed = { ...completed, [name]: value }
  }
  return completed
}
