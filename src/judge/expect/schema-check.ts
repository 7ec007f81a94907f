import type { JsonValue } from '@concordat/rpc'

/** A violation of a schema: a JSON pointer into the checked value, and the expectation. */
export interface Problem {
  readonly path: string
  /** `must be …`: what was expected. */
  readonly message: string
  /** The violated keyword's place in the contract. */
  readonly place?: string | undefined
  /** The member that is missing, or must not be there. */
  readonly member?: string | undefined
}

/**
 * Validates a value against the contract's schema at a JSON pointer such as `#/components/schemas/Block`.
 * Returns an empty list for a valid value.
 */
export type SchemaCheck = (pointer: string, value: JsonValue) => readonly Problem[]
