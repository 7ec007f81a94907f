import {
  type JsonValue,
  type MethodDescriptor,
  RawJson,
  type RawJsonStream,
  type ValidationProblem,
} from '../rpc/index.js'
import type { CallResult } from './protocol-options.js'

/** A result that is known to its end. */
type WholeResult = Exclude<CallResult, RawJsonStream>

/**
 * Writes a result as JSON; a raw one stays as it is.
 *
 * @throws TypeError for what JSON cannot carry: undefined, functions, BigInt, cycles, an empty raw text
 */
export function resultText(method: MethodDescriptor, result: WholeResult): string | Uint8Array {
  if (result instanceof RawJson) {
    if (result.text.length === 0) throw new TypeError('The raw result is empty')
    return result.text
  }
  if (result === undefined && method.notification) return 'null'
  const text: string | undefined = JSON.stringify(result)
  if (text === undefined) throw new TypeError('The result is no JSON value')
  return text
}

/** Checks a result against the contract; a raw one is parsed for it. */
export function resultProblems(method: MethodDescriptor, result: WholeResult): readonly ValidationProblem[] {
  if (method.notification) return []
  return method.validateResult(result instanceof RawJson ? parsed(result) : result)
}

function parsed({ text }: RawJson): JsonValue {
  return JSON.parse(typeof text === 'string' ? text : Buffer.from(text).toString())
}
