import {
  type JsonValue,
  type MethodDescriptor,
  RawJson,
  type RawJsonStream,
  type RpcError,
  type ValidationProblem,
} from '../../rpc/index.js'
import type { CallResult } from './protocol-options.js'

/**
 * Error codes that every method may return: invalid params and internal error (JSON-RPC 2.0, section 5.1).
 */
const alwaysAllowed: readonly number[] = [-32602, -32603]

/**
 * Finds contract violations of a thrown error: an undeclared code, or data that does not match the schema. A
 * method without declared errors may return every error of the contract, or any error if the contract
 * declares none.
 * @returns an empty list for an allowed error
 */
export function errorProblems(
  { name, errors, service }: MethodDescriptor,
  { code, data }: RpcError,
): readonly ValidationProblem[] {
  const known = service?.errors ?? {}
  if (errors === undefined && Object.keys(known).length === 0) return []
  const isDeclared = (key: string) => errors === undefined || errors.includes(key)
  const declared = Object.entries(known).flatMap(([key, error]) =>
    isDeclared(key) || alwaysAllowed.includes(error.code) ? [error] : [],
  )
  const fitting = declared.filter((error) => error.code === code)
  if (fitting.length === 0) {
    if (alwaysAllowed.includes(code)) return []
    const codes = [...new Set(declared.map((error) => error.code))].join(', ')
    const message = `the method "${name}" does not declare the code ${code}: its codes are ${codes || 'none'}`
    return [{ path: '/code', rule: 'errors', message }]
  }
  const [first = [], ...others] = fitting.map(({ validateData }) => validateData?.(data) ?? [])
  if ([first, ...others].some((problems) => problems.length === 0)) return []
  return first.map((problem) => ({ ...problem, path: `/data${problem.path}` }))
}

/** Finds contract violations of a result; raw JSON is parsed for the check. */
export function resultProblems(
  method: MethodDescriptor,
  result: Exclude<CallResult, RawJsonStream>,
): readonly ValidationProblem[] {
  if (method.notification) return []
  return method.validateResult(result instanceof RawJson ? parsed(result) : result)
}

function parsed({ text }: RawJson): JsonValue {
  return JSON.parse(typeof text === 'string' ? text : Buffer.from(text).toString())
}
