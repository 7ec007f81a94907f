import { type Contract, isObject, objectMember } from '../../contract/index.js'
import type { Checks } from './checks.js'

/**
 * The HTTP statuses that `x-failures` states for the code of an error. A code that has no failure belongs to one call,
 * and is HTTP 200.
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
  const ofCalls: ReadonlySet<number> = new Set([200])
  return (code) => statuses.get(code) ?? ofCalls
}
