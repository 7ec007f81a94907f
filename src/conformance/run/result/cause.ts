import type { AutomaticFinding } from '../answer/automatic-checks.js'
import type { Finding } from './report.js'

/** Stands for what differs from case to case although the fault is one: hashes, quantities, numbers, places in lists. */
const VARYING = /0x[0-9a-f]+|\d+/gi

/**
 * The text that failures with the same cause share. What breaks a check that is made of every answer is one cause,
 * whichever rule the case is about; what breaks a case's own expectation is one cause for each rule.
 * @param redact replaces secrets, before numbers are: a key without its numbers is found by nobody any more
 */
export function causeOf(
  automatic: readonly AutomaticFinding[],
  stated: readonly Finding[],
  rules: readonly string[],
  redact: (text: string) => string,
): string | undefined {
  const [broken] = automatic
  const [first] = stated
  if (broken !== undefined && (first === undefined || tellsMore(broken))) {
    return `${broken.check} ${normal(broken, redact)}`
  }
  return first && `${rules[0] ?? 'no rule'} ${normal(first, redact)}`
}

/**
 * True where a broken check says more than what a case expected instead: an error that is not declared says less than
 * the one that was expected.
 */
export function tellsMore({ check }: AutomaticFinding): boolean {
  return check !== 'error'
}

function normal({ where, expected, got }: Finding, redact: (text: string) => string): string {
  // Codes and statuses are numbers that tell causes apart.
  const isCode = /^status$|\/code$/.test(where)
  const place = redact(where).replaceAll(/\/\d+(?=\/|$)/g, '/*')
  // Whatever was expected exactly: a result came where an error must, or an error where a result must.
  if (/\/error$/.test(where)) return `${place}: an error, got ${got.split(' ')[0]}`
  const error = /\/result$/.test(where) ? /^error \S+/.exec(got)?.[0] : undefined
  if (error !== undefined) return `${place}: a result, got ${error}`
  const text = (value: string) => (isCode ? value : redact(value).replaceAll(VARYING, '#'))
  return `${place}: ${text(expected)}, got ${text(got)}`
}
