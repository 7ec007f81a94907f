import { isArray, isObject, type JsonValue, member, parseJson } from '../../contract/index.js'

/**
 * The errors of a contract with HTTP status 429 (`x-http-status`, `x-failures`): their codes, each with the wait before
 * a retry in milliseconds, undefined where the contract states none.
 */
export type LimitErrors = ReadonlyMap<number, number | undefined>

/**
 * Returns the longest wait that the limit errors of an answer ask for, in milliseconds. Undefined without such errors,
 * or if one of them states no wait. Unlike `Retry-After`, it is also known for items of a batch and without HTTP.
 */
export function waitOfErrors(text: string, limits: LimitErrors): number | undefined {
  // Most answers are no errors, and need not be parsed again.
  if (![...limits.keys()].some((code) => text.includes(String(code)))) return undefined
  const json = parseJson(text)
  const codes = (isArray(json) ? json : [json]).map(errorCodeOf)
  const waits = codes.flatMap((code) => (code !== undefined && limits.has(code) ? [limits.get(code)] : []))
  const known = waits.filter((wait) => wait !== undefined)
  return known.length === 0 || known.length < waits.length ? undefined : Math.max(...known)
}

/** Returns the code of an error response (JSON-RPC 2.0, section 5.1). Undefined for any other answer. */
export function errorCodeOf(answer: JsonValue | undefined): number | undefined {
  const error = isObject(answer) ? member(answer, 'error') : undefined
  const code = isObject(error) ? member(error, 'code') : undefined
  return typeof code === 'number' ? code : undefined
}
