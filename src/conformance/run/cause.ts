import type { AutomaticFinding } from './automatic-checks.js'
import type { Finding } from './report.js'

/** Stands for what differs from case to case although the fault is one: hashes, quantities, numbers, places in lists. */
const VARYING = /0x[0-9a-f]+|\d+/gi

/**
 * The text that failures with the same cause share. What breaks a check that is made of every answer is one cause,
 * whichever rule the case is about; what breaks a case's own expectation is one cause for each rule.
 */
export function causeOf(
  automatic: readonly AutomaticFinding[],
  stated: readonly Finding[],
  rules: readonly string[],
): string | undefined {
  const [broken] = automatic
  const [first] = stated
  if (broken !== undefined && (first === undefined || isOfEveryAnswer(broken))) {
    return `${broken.check} ${normal(broken)}`
  }
  return first && `${rules[0] ?? 'no rule'} ${normal(first)}`
}

function isOfEveryAnswer({ check }: AutomaticFinding): boolean {
  return check === 'body' || check === 'envelope' || check === 'id'
}

function normal({ where, expected, got }: Finding): string {
  // Codes and statuses are numbers that tell causes apart.
  const isCode = /^status$|\/code$/.test(where)
  const text = (value: string) => (isCode ? value : value.replaceAll(VARYING, '#'))
  return `${where.replaceAll(/\/\d+(?=\/|$)/g, '/*')}: ${text(expected)}, got ${text(got)}`
}
