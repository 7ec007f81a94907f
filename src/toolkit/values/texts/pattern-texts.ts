import fc from 'fast-check'
import { compilePattern, matchesPattern } from '../../contract/index.js'
import { words } from './format-texts.js'

/** Maximum length of generated texts, in characters. */
export const lengthMost = 100_000
/** Maximum length above the required minimum, in characters. */
const extraMost = 8
/** Number of texts to try before a pattern counts as impossible. */
const trials = 50
/** Number of texts to try at first. */
const firstTrials = 5
/** Maximum length of texts made from a pattern: fast-check makes a value of its own for each character. */
const repeatedMost = 10_000
/** Number of characters in these texts together, for patterns of long texts. */
const charactersMost = 50_000
/** Maximum number of unbounded repetitions. Patterns with more rarely produce a text of a given length. */
const repetitionsMost = 4
/** Maximum nesting of repeated groups, since each level multiplies fast-check's work. */
const nestingMost = 4

/** Bounds of a length in characters (code points). */
export interface Lengths {
  readonly least: number
  readonly most: number
}

/** True if a text matches a pattern anywhere (draft-07 validation, section 6.3.3). */
export function matches(pattern: string, text: string): boolean {
  return matchesPattern(pattern, text) === true
}

/** True if the length of a text is within bounds. */
export function isWithin(text: string, { least, most }: Lengths): boolean {
  const length = text.length <= least || text.length > most ? [...text].length : text.length
  return length >= least && length <= most
}

/** Returns how many texts to try for a pattern: fewer if each is long. */
export function triesFor(pattern: string, most: number): number {
  return Math.max(1, Math.min(most, Math.floor(charactersMost / leastLength(pattern))))
}

const made = new Map<string, fc.Arbitrary<string> | undefined>()

/**
 * Generates texts that probably match a pattern and fit the length bounds. The caller checks both.
 * @returns undefined if fast-check cannot generate matching texts
 */
export function patternTexts(pattern: string, lengths?: Lengths): fc.Arbitrary<string> | undefined {
  const key = JSON.stringify([pattern, lengths])
  if (!made.has(key)) made.set(key, make(pattern, lengths))
  return made.get(key)
}

/** True if texts can be generated for a pattern without examples. */
export function hasTexts(pattern: string): boolean {
  return words.some((word) => matches(pattern, word)) || patternTexts(pattern) !== undefined
}

/** Returns one text that matches a pattern; undefined if none was found. */
export function patternSample(pattern: string): string | undefined {
  const texts = patternTexts(pattern)
  return texts && fc.sample(texts, { seed: 1, numRuns: trials }).find((text) => matches(pattern, text))
}

function make(pattern: string, lengths: Lengths | undefined): fc.Arbitrary<string> | undefined {
  if (!usual.has(pattern)) usual.set(pattern, usualTexts(pattern))
  const found = usual.get(pattern)
  if (!found) return undefined
  const { expression, texts, samples } = found
  const areWithin = !lengths || (lengths.least === 0 && samples.every((text) => isWithin(text, lengths)))
  if (areWithin) return texts
  try {
    return ofLength(expression, texts, lengths)
  } catch {
    return undefined // fast-check finds no text that is short enough
  }
}

/** Texts that match a pattern, without length limits. */
interface UsualTexts {
  readonly expression: RegExp
  readonly texts: fc.Arbitrary<string>
  readonly samples: readonly string[]
}

const usual = new Map<string, UsualTexts | undefined>()

function usualTexts(pattern: string): UsualTexts | undefined {
  if (isHopeless(pattern)) return undefined
  // A full match is also a partial match. Lookarounds and word boundaries are removed here and left to the
  // final check.
  const source = `^(?:${flattened(pattern.replaceAll(/\(\?<?[=!][^()]*\)|\\[bB]/g, ''))})$`
  try {
    const expression = compilePattern(source, 'u')
    const texts = fc.stringMatching(expression, { size: 'small' })
    const sampled = (most: number) => fc.sample(texts, { seed: 1, numRuns: triesFor(pattern, most) })
    const isFound = (all: readonly string[]) => all.some((text) => matches(pattern, text))
    const first = sampled(firstTrials)
    const samples = isFound(first) ? first : sampled(trials)
    return isFound(samples) ? { expression, texts, samples } : undefined
  } catch {
    return undefined // fast-check does not support back-references and some legacy syntax
  }
}

/**
 * Generates texts of a length that is rare by default. fast-check would search endlessly if few texts are
 * short enough.
 */
function ofLength(
  expression: RegExp,
  usual: fc.Arbitrary<string>,
  { least, most }: Lengths,
): fc.Arbitrary<string> {
  // Each level of repeated groups multiplies the length, and fast-check makes all of it before it cuts.
  if (nesting(expression.source) > 1) return usual
  const maxLength = Math.min(most, least + extraMost)
  const shortest = fc.sample(fc.stringMatching(expression, { size: 'xsmall' }), {
    seed: 1,
    numRuns: triesFor(expression.source, trials),
  })
  const isPossible = shortest.some((text) => isWithin(text, { least: 0, most: maxLength }))
  const repetitions = expression.source.match(/[*+]|,\}/g) ?? []
  if (isPossible && repetitions.length <= repetitionsMost) {
    return fc.stringMatching(expression, { size: 'max', maxLength })
  }
  return fc.oneof(usual, fc.stringMatching(expression, { size: 'medium' }))
}

/**
 * True for patterns on which fast-check would not terminate. These have sets without printable ASCII
 * characters, large repetitions, or deeply nested repeated groups.
 */
function isHopeless(pattern: string): boolean {
  const sets = pattern.match(/\\[\s\S]|\[\^(?:\\[\s\S]|[^\]\\])*\]|\[\]/g) ?? []
  return (
    leastLength(pattern) > repeatedMost ||
    nesting(pattern) > nestingMost ||
    sets.some((set) => set.startsWith('[') && isEmpty(set))
  )
}

/** Estimates the least number of characters of texts that match a pattern, from its repetitions. */
function leastLength(pattern: string): number {
  const counts = (quantifier: RegExp) => [...pattern.matchAll(quantifier)].map(([, count]) => Number(count))
  const ofGroups = counts(/\)\{(\d+)/g).reduce((product, count) => product * Math.max(1, count), 1)
  return ofGroups * Math.max(1, ...counts(/[^)]\{(\d+)/g))
}

/** True for a set without printable ASCII characters. */
function isEmpty(set: string): boolean {
  const expression = compilePattern(`^${set}$`, 'u')
  const printable = Array.from({ length: 0x7f - 0x20 }, (_, at) => String.fromCodePoint(0x20 + at))
  return !printable.some((character) => expression.test(character))
}

/** A group of one repeated character or set that is repeated itself. */
const repeatedTwice =
  /\(\?:(\\[dDsSwW]|\[(?:\\[\s\S]|[^\]\\])*\]|[^\\()[\]{}*+?|^$])([*+])\)([*+])(?![?+*{])/gu

/** Flattens nested repetitions such as `(?:a+)*`. The work of fast-check multiplies with each level. */
function flattened(pattern: string): string {
  const flat = pattern.replaceAll(repeatedTwice, (_, unit: string, inner: string, outer: string) => {
    return `${unit}${inner === '+' && outer === '+' ? '+' : '*'}`
  })
  return flat === pattern ? pattern : flattened(flat)
}

/** Maximum nesting depth of repeated groups. */
function nesting(pattern: string): number {
  const deepest = (text: string) => Math.max(0, ...(text.match(/#+/g) ?? []).map(({ length }) => length))
  let rest = pattern.replaceAll(/\\[\s\S]|\[(?:\\[\s\S]|[^\]\\])*\]|#/g, '')
  for (let before = ''; before !== rest; ) {
    before = rest
    // Each innermost group is replaced by as many signs as it has levels of repetition.
    rest = rest.replaceAll(/\(([^()]*)\)([*+{]?)/g, (_, inner: string, sign: string) => {
      return ` ${'#'.repeat(deepest(inner) + sign.length)} `
    })
  }
  return deepest(rest)
}
