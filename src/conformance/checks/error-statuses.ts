import { type Contract, isObject, objectMember } from '../../contract/index.js'
import type { Checks } from './checks.js'

/**
 * Parse error, invalid request and internal error (JSON-RPC 2.0, section 5.1): these can concern the whole
 * HTTP request.
 */
const requestCodes: ReadonlySet<number> = new Set([-32700, -32600, -32603])

/**
 * Creates a lookup of the HTTP statuses of an error code (`x-failures`). A code without a failure belongs to
 * one call and has status 200. The result is undefined for JSON-RPC's request errors if the contract does not
 * declare them.
 */
export function createErrorStatuses({ info, errors }: Contract): Checks['errorStatuses'] {
  const failures = Object.values(objectMember(info, 'x-failures')).filter(isObject)
  if (failures.length === 0) return () => undefined
  const codes = new Map(errors.map(({ key, code }) => [key, code]))
  const statuses = new Map<number, Set<number>>()
  for (const { error, httpStatus } of failures) {
    const code = codes.get(String(error))
    if (code === undefined || typeof httpStatus !== 'number') continue
    statuses.set(code, (statuses.get(code) ?? new Set()).add(httpStatus))
  }
  const declared = new Set(codes.values())
  const ofCalls: ReadonlySet<number> = new Set([200])
  const isUndeclared = (code: number) => requestCodes.has(code) && !declared.has(code)
  return (code) => statuses.get(code) ?? (isUndeclared(code) ? undefined : ofCalls)
}
