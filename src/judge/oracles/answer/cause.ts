import type { Finding } from '../../report/index.js'
import type { AutomaticFinding } from './automatic-checks.js'

/**
 * Matches values that differ between cases with the same cause: hashes, quantities, numbers and list indexes.
 */
const VARYING = /0x[0-9a-f]+|\d+/gi

/**
 * Computes the key that groups failures with the same cause. A failed automatic check is one cause, whatever
 * rule the case is about. A failed expectation is a separate cause for each rule.
 * @param redact replaces secrets; it must run before numbers are masked, since a masked key is no longer
 * recognized
 */
export function causeOf(
  automatic: readonly AutomaticFinding[],
  stated: readonly Finding[],
  rules: readonly string[],
  redact: (text: string) => string,
): string | undefined {
  const [broken] = automatic
  const [first] = stated
  if (broken !== undefined && isCause(broken, stated)) {
    // An answer in a batch breaks its contract as a single one does.
    const single = { ...broken, where: broken.where.replace(/^\/items\/\d+(?=\/)/, '') }
    return `${broken.check} ${normal(single, redact)}`
  }
  return first && `${rules[0] ?? 'no rule'} ${normal(first, redact)}`
}

/** True when the first automatic finding is the cause, not the first failed expectation. */
export function isCause(broken: AutomaticFinding, stated: readonly Finding[]): boolean {
  return stated.length === 0 || tellsMore(broken)
}

/**
 * True when an automatic finding says more than a failed expectation. An undeclared error says less than the
 * error that was expected.
 */
export function tellsMore({ check }: AutomaticFinding): boolean {
  return check !== 'error'
}

function normal({ where, expected, got }: Finding, redact: (text: string) => string): string {
  // Codes and statuses distinguish causes, so their numbers stay.
  const isCode = /^status$|\/code$/.test(where)
  const place = redact(where).replaceAll(/\/\d+(?=\/|$)/g, '/*')
  // A result instead of an error, or an error instead of a result, is one cause whatever the exact
  // expectation was.
  if (/\/error$/.test(where)) return `${place}: an error, got ${got.split(' ')[0]}`
  const error = /\/result$/.test(where) ? /^error \S+/.exec(got)?.[0] : undefined
  if (error !== undefined) return `${place}: a result, got ${error}`
  const text = (value: string) => (isCode ? value : redact(value).replaceAll(VARYING, '#'))
  return `${place}: ${text(expected)}, got ${kindOf(got) ?? text(got)}`
}

/** Returns "an object" or "a list" for such a value. Its contents would split one cause into many. */
function kindOf(got: string): string | undefined {
  if (/^(?:\{|an object of )/.test(got)) return 'an object'
  return /^(?:\[|a list of )/.test(got) ? 'a list' : undefined
}
