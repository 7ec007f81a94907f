import type { JsonObject, JsonValue, Method } from '../../contract/index.js'

/** A call to be tried, before it is a scenario. */
export interface DerivedCase {
  readonly method: Method
  /** What it is about, unique within its method where nothing else asks for the same call. */
  readonly name: string
  /** One sentence: what must hold. */
  readonly scenario: string
  readonly rules: readonly string[]
  readonly network: string | undefined
  /** As they are sent: a list, or an object of parameters by name. */
  readonly params: JsonValue
  /** Undefined where only what is checked of every answer must hold. */
  readonly expect: JsonObject | undefined
  readonly tolerate: readonly JsonObject[]
}

/** JSON-RPC 2.0, section 5.1: the code of parameters that a method does not take. */
export const invalidParamsCode = -32602
