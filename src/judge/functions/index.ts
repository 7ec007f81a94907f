import type { ChainFunction } from './chain-function.js'
import { functions } from './functions.js'

/**
 * Functions for `compute` steps of scenarios, by name. Each takes its parameters by position, returns a JSON
 * value, and throws a {@link ChainFunctionError} for invalid parameters.
 */
export const chainFunctions: Readonly<Record<string, ChainFunction>> = functions

export type { ChainFunction } from './chain-function.js'
export { functionExamples } from './function-examples.js'
