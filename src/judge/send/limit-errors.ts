import { isArray, isObject, type JsonValue, member, parseJson } from '../../toolkit/contract/index.js'

/**
 * Rate-limit errors of a contract: the delay before a retry in milliseconds, by error code. These are the errors with
 * HTTP status 429 (`x-http-status`, `x-failures`). The delay is undefined if the contract states none
 * (`x-retry-after-seconds`).
 */
export type LimitErrors = ReadonlyMap<number, number | undefined>

/**
 * Returns the longest retry delay of the rate-limit errors in a response, in milliseconds. Returns undefined if there is
 * no such error, or if one of them has no delay. Batch items and responses without HTTP have no `Retry-After` header.
 */
export function waitOfErrors(text: string, limits: LimitErrors): number | undefined {
  // Parsing is skipped for most responses.
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
