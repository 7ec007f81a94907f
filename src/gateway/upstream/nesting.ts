import { limits } from '../../../generated/contract.js'
import type { JsonValue } from '../../rpc/index.js'

/** What is wrong with a value that {@link bounded} refuses. */
export const tooDeep = 'nested too deeply'

/**
 * A node's value as it is, where nothing in it is nested deeper than the contract's `nestingDepth`: JSON.parse takes
 * what JSON.stringify does not.
 * @throws RangeError
 */
export function bounded<Value extends JsonValue>(value: Value, depth = 0): Value {
  if (typeof value !== 'object' || value === null) return value
  if (depth > limits.nestingDepth) throw new RangeError(tooDeep)
  for (const name in value) bounded((value as Readonly<Record<string, JsonValue>>)[name] ?? null, depth + 1)
  return value
}
