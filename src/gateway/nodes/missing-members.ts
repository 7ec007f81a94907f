import type { JsonValue } from '../../rpc/index.js'
import { isList, isObject } from '../ethereum/hex.js'
import { type ObjectShape, resultShapes } from './result-shape.js'

/**
 * Finds the members that the contract requires of a result, or of the entries of a list, and that a node did not send.
 * Such an answer is passed on as it is, and logged.
 * @param result normalised
 * @returns undefined when none is missing
 */
export function missingMembers(method: string, result: JsonValue): readonly string[] | undefined {
  const shape = resultShapes.get(method)?.shape
  if (!isList(result)) return missingIn(shape?.object, result)
  const missing = new Set(result.flatMap((entry) => missingIn(shape?.items?.object, entry) ?? []))
  return missing.size === 0 ? undefined : [...missing]
}

function missingIn(shape: ObjectShape | undefined, object: JsonValue): readonly string[] | undefined {
  if (shape === undefined || !isObject(object)) return undefined
  let missing: string[] | undefined
  for (const member of shape.required) {
    if (object[member] !== undefined) continue
    missing ??= []
    missing.push(member)
  }
  return missing
}
