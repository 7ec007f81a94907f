import { isSafePattern } from 'redos-detector'

/** Limits of the search for unsafe patterns. */
const patternDefaults = {
  /** Number of ways to match one text above which a pattern counts as unsafe. */
  mostWays: 200,
  /**
   * Maximum number of search steps. Steps are counted, not timed, so results are the same on every machine.
   */
  steps: 5_000,
} as const

const known = new Map<string, boolean>()

/** Returns true for a pattern that takes exponential time on some texts (ReDoS). Invalid patterns are not unsafe. */
export function isUnsafePattern(pattern: string): boolean {
  const unsafe = known.get(pattern) ?? takesTooLong(pattern)
  known.set(pattern, unsafe)
  return unsafe
}

function takesTooLong(pattern: string): boolean {
  try {
    const { safe } = isSafePattern(pattern, {
      maxScore: patternDefaults.mostWays,
      maxSteps: patternDefaults.steps,
    })
    return !safe
  } catch {
    return false // another rule reports invalid regular expressions
  }
}
