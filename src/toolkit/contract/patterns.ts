import { isSafePattern } from 'redos-detector'
import { linearPattern, type PatternTree, patternTree } from './linear-matcher.js'

/** Limits of the search for unsafe patterns. */
const patternDefaults = {
  /** Number of ways to match one text above which a pattern counts as unsafe. */
  mostWays: 200,
  /**
   * Maximum number of search steps. Steps are counted, not timed, so results are the same on every machine.
   */
  steps: 2_000,
} as const

/** Returns true for a valid regular expression, with or without the `u` flag. */
export function isPattern(text: string): boolean {
  try {
    nativePattern(text, 'u')
    return true
  } catch {
    return false
  }
}

/**
 * Compiles a pattern of a schema. JSON Schema counts code points, so the given flags are tried first. Older
 * patterns such as `\-` outside brackets are invalid with the `u` flag and compile without flags (draft-07
 * validation, 6.3.3). The test of a pattern that may be unsafe takes linear time, so that no document makes a command
 * hang.
 * @param source the pattern
 * @param flags flags to try first
 * @throws SyntaxError when the pattern is invalid with and without flags
 * @throws PatternError for an unsafe pattern that cannot be evaluated in linear time
 */
export function compilePattern(source: string, flags: string): RegExp {
  const expression = nativePattern(source, flags)
  if (!mayBacktrack(expression.source)) return expression
  try {
    const tree = patternTree(expression.source, expression.flags)
    return Object.assign(expression, linearPattern(tree, expression.flags))
  } catch (error) {
    // Parsing a pattern is faster than checking whether it is unsafe.
    if (isUnsafe(expression)) throw error
    return expression
  }
}

const compiled = new Map<string, RegExp | undefined>()

/**
 * Returns whether a text matches a pattern of a schema anywhere (draft-07 validation, section 6.3.3), and undefined for a
 * pattern that {@link compilePattern} refuses.
 */
export function matchesPattern(pattern: string, text: string): boolean | undefined {
  try {
    if (!compiled.has(pattern)) compiled.set(pattern, undefined).set(pattern, compilePattern(pattern, 'u'))
    return compiled.get(pattern)?.test(text)
  } catch {
    return undefined // V8 refuses very large repetitions when a text is tested
  }
}

/**
 * Returns the syntax tree of an unsafe pattern; undefined for a pattern that is safe to run with RegExp.
 * @throws PatternError for an unsafe pattern that cannot be evaluated in linear time
 */
export function unsafePatternTree(expression: RegExp): PatternTree | undefined {
  return isUnsafe(expression) ? patternTree(expression.source, expression.flags) : undefined
}

/**
 * Returns true for a pattern for which the time of RegExp can grow faster than the length of the text: with its square,
 * or exponentially (ReDoS). Invalid patterns are not unsafe.
 */
export function isUnsafePattern(pattern: string): boolean {
  return isPattern(pattern) && isUnsafe(nativePattern(pattern, 'u'))
}

function nativePattern(source: string, flags: string): RegExp {
  try {
    return new RegExp(source, flags)
  } catch {
    return new RegExp(source)
  }
}

const known = new Map<string, boolean>()

function isUnsafe(expression: RegExp): boolean {
  const key = String(expression)
  const unsafe = known.get(key) ?? (mayBacktrack(expression.source) && takesTooLong(expression))
  known.set(key, unsafe)
  return unsafe
}

/**
 * Returns false for patterns without repetitions, and for those that begin at the start and repeat one character, or one
 * group of a few characters such as `(?:[0-9a-f]{2})*`.
 */
function mayBacktrack(source: string): boolean {
  if (/\\[1-9k]/.test(source)) return true // a backreference repeats what a group matched
  const structure = source
    .replaceAll(/\\[\s\S]|\[(?:\\[\s\S]|[^\]\\])*\]/g, '.')
    .replaceAll('(?', '(')
    .replaceAll(fixedGroup, '.')
  const repetitions = structure.match(/[*+?{]/g)?.length ?? 0
  if (repetitions === 0) return false
  let outside = structure
  for (let inner = ''; inner !== outside; ) {
    inner = outside
    outside = inner.replaceAll(/\([^()]*\)/g, '')
  }
  return repetitions > 1 || /\)[*+?{]/.test(structure) || !/^\^[^|]*$/.test(outside)
}

/** Matches a group of a fixed number of characters. */
const fixedGroup = /\((?:[^()|*+?{}]|\{\d\})+\)/g

function takesTooLong(expression: RegExp): boolean {
  const { mostWays: maxScore, steps: maxSteps } = patternDefaults
  try {
    const { unicode } = expression
    return !isSafePattern(withoutNames(expression.source), { maxScore, maxSteps, unicode }).safe
  } catch {
    return true // syntax that the detector does not know
  }
}

/** Replaces named groups and references by numbered ones, because the detector does not support names. */
function withoutNames(source: string): string {
  const names: string[] = []
  const unnamed = source.replaceAll(groups, (text, name?: string) => {
    if (text.startsWith('(')) names.push(name ?? '')
    return name === undefined ? text : '('
  })
  return unnamed.replaceAll(/\\k<([^>]*)>/g, (_, name: string) => `(?:\\${names.indexOf(name) + 1})`)
}

/** Matches escapes, character classes, and the openings of capturing groups with their names. */
const groups = /\\[\s\S]|\[(?:\\[\s\S]|[^\]\\])*\]|\((?:\?<(?![=!])([^>]*)>|(?!\?))/g
