import { isArray, isObject, type JsonValue } from '../../toolkit/contract/index.js'
import type { Finding } from '../report/index.js'
import type { Match } from './matcher.js'

/** A value that may be the expected one, and its place. */
export interface Candidate {
  readonly value: JsonValue | undefined
  readonly where: string
}

/**
 * Returns the differences of the candidate with the most matching members. Undefined if no candidate is close
 * or the expectation has no members.
 */
export function nearestFindings(
  expected: JsonValue,
  candidates: readonly Candidate[],
  match: Match,
): readonly Finding[] | undefined {
  const members = memberCount(expected)
  let nearest: readonly Finding[] | undefined
  for (const { value, where } of candidates) {
    if (typeof value !== 'object' || value === null) continue
    const findings = match(expected, value, where)
    const isInside = findings.every((finding) => finding.where.startsWith(`${where}/`))
    if (!isInside || findings.length * 2 > members) continue
    if (nearest === undefined || findings.length < nearest.length) nearest = findings
  }
  return nearest
}

/** Counts the compared members and items, including matchers. */
function memberCount(expected: JsonValue): number {
  if (isArray(expected)) return expected.length
  if (!isObject(expected)) return 0
  const inner = expected['$has'] ?? expected['$is']
  return inner === undefined ? Object.keys(expected).length : memberCount(inner)
}
