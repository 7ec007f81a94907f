import fc from 'fast-check'
import { compilePattern } from '../contract/index.js'
import { words } from './format-texts.js'

/** Longer texts are not made, in characters. */
export const lengthMost = 100_000
/** So much longer than they have to be texts are, at most, in characters. */
const extraMost = 8
/** Texts that are tried before a pattern counts as one that no text is made for. */
const trials = 50
/** Patterns with more repetitions without end seldom have a text of a certain length. */
const repetitionsMost = 4
/** fast-check's work multiplies with each repeated group inside another one. */
const nestingMost = 4

/** The bounds of a length, in characters (code points). */
export interface Lengths {
  readonly least: number
  readonly most: number
}

const compiled = new Map<string, RegExp>()

/** True for a text that matches a pattern of the contract anywhere (draft-07 validation, section 6.3.3). */
export function matches(pattern: string, text: string): boolean {
  const expression = compiled.get(pattern) ?? compilePattern(pattern, 'u')
  compiled.set(pattern, expression)
  try {
    return expression.test(text)
  } catch {
    return false // V8 gives up on very large repetitions
  }
}

/** True for a text whose length is within bounds. */
export function isWithin(text: string, { least, most }: Lengths): boolean {
  const length = text.length <= least || text.length > most ? [...text].length : text.length
  return length >= least && length <= most
}

const made = new Map<string, fc.Arbitrary<string> | undefined>()

/**
 * Texts that are likely to match a pattern, and to be of a length within the bounds; the caller checks both.
 * @returns undefined for a pattern that fast-check makes no text for, or none that is short enough
 */
export function patternTexts(pattern: string, lengths?: Lengths): fc.Arbitrary<string> | undefined {
  const key = JSON.stringify([pattern, lengths])
  if (!made.has(key)) made.set(key, make(pattern, lengths))
  return made.get(key)
}

/** True for a pattern that texts are made for without the help of examples. */
export function hasTexts(pattern: string): boolean {
  return words.some((word) => matches(pattern, word)) || patternTexts(pattern) !== undefined
}

/** One text that matches a pattern. */
export function patternSample(pattern: string): string | undefined {
  const texts = patternTexts(pattern)
  return texts && fc.sample(texts, { seed: 1, numRuns: trials }).find((text) => matches(pattern, text))
}

function make(pattern: string, lengths: Lengths | undefined): fc.Arbitrary<string> | undefined {
  if (isHopeless(pattern)) return undefined
  // Whatever matches as a whole also matches somewhere. What only looks around is left to the check.
  const source = `^(?:${pattern.replaceAll(/\(\?<?[=!][^()]*\)|\\[bB]/g, '')})$`
  try {
    const expression = compilePattern(source, 'u')
    const texts = fc.stringMatching(expression, { size: 'small' })
    const found = fc.sample(texts, { seed: 1, numRuns: trials })
    if (!found.some((text) => matches(pattern, text))) return undefined
    if (!lengths || (lengths.least === 0 && found.every((text) => isWithin(text, lengths)))) return texts
    return ofLength(expression, texts, lengths)
  } catch {
    return undefined // fast-check reads neither references to groups nor everything that older patterns contain
  }
}

/** Texts of a length that the usual ones seldom have. fast-check searches without end where few are short enough. */
function ofLength(
  expression: RegExp,
  usual: fc.Arbitrary<string>,
  { least, most }: Lengths,
): fc.Arbitrary<string> {
  const maxLength = Math.min(most, least + extraMost)
  const shortest = fc.sample(fc.stringMatching(expression, { size: 'xsmall' }), { seed: 1, numRuns: trials })
  const isPossible = shortest.some((text) => isWithin(text, { least: 0, most: maxLength }))
  const repetitions = expression.source.match(/[*+]|,\}/g) ?? []
  if (isPossible && repetitions.length <= repetitionsMost) {
    return fc.stringMatching(expression, { size: 'max', maxLength })
  }
  return fc.oneof(usual, fc.stringMatching(expression, { size: 'medium' }))
}

/**
 * True for a pattern that fast-check would search or repeat without end: sets that have no printable ASCII character,
 * large repetitions, and repeated groups deep inside one another.
 */
function isHopeless(pattern: string): boolean {
  const sets = pattern.match(/\\[\s\S]|\[\^(?:\\[\s\S]|[^\]\\])*\]|\[\]/g) ?? []
  const counts = (quantifier: RegExp) => [...pattern.matchAll(quantifier)].map(([, count]) => Number(count))
  const ofGroups = counts(/\)\{(\d+)/g).reduce((product, count) => product * Math.max(1, count), 1)
  const longest = Math.max(1, ...counts(/[^)]\{(\d+)/g))
  return (
    ofGroups * longest > lengthMost ||
    nesting(pattern) > nestingMost ||
    sets.some((set) => set.startsWith('[') && isEmpty(set))
  )
}

/** True for a set without printable ASCII characters. */
function isEmpty(set: string): boolean {
  const expression = compilePattern(`^${set}$`, 'u')
  const printable = Array.from({ length: 0x7f - 0x20 }, (_, at) => String.fromCodePoint(0x20 + at))
  return !printable.some((character) => expression.test(character))
}

/** How many repeated groups lie inside one another. */
function nesting(pattern: string): number {
  const deepest = (text: string) => Math.max(0, ...(text.match(/#+/g) ?? []).map(({ length }) => length))
  let rest = pattern.replaceAll(/\\[\s\S]|\[(?:\\[\s\S]|[^\]\\])*\]|#/g, '')
  for (let before = ''; before !== rest; ) {
    before = rest
    // The innermost groups become so many signs as repeated groups are in them.
    rest = rest.replaceAll(/\(([^()]*)\)([*+{]?)/g, (_, inner: string, sign: string) => {
      return ` ${'#'.repeat(deepest(inner) + sign.length)} `
    })
  }
  return deepest(rest)
}
