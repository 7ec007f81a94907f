import type { JsonObject, JsonValue, Method } from '../../contract/index.js'
import type { PlacedMistake } from './shared-mistakes.js'

/** A derived call, before it becomes a scenario. */
export interface DerivedCase {
  readonly method: Method
  /** Short name, unique within its method except for network variants of a call. */
  readonly name: string
  /** Expected behaviour in one sentence. */
  readonly scenario: string
  readonly rules: readonly string[]
  readonly network: string | undefined
  /** Parameters as sent: a list, or an object by name. */
  readonly params: JsonValue
  /** Expectation; undefined if only the automatic checks apply. */
  readonly expect: JsonObject | undefined
  readonly tolerate: readonly JsonObject[]
  /** Set for a mistake that several methods share, because their parameters are the same components. */
  readonly shared?: PlacedMistake | undefined
}
