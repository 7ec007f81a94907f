import type { JsonValue } from '@concordat/rpc'
import type { Problem } from '../checks/problem.js'

/**
 * Validates a value against the contract's schema at a JSON pointer such as `#/components/schemas/Block`.
 * Returns an empty list for a valid value.
 */
export type SchemaCheck = (pointer: string, value: JsonValue) => readonly Problem[]
