import fc from 'fast-check'
import { formats, isUnsafePattern, type JsonValue } from '../../contract/index.js'
import { bounded, usualTries } from '../bounded.js'
import {
  type Alternative,
  bounds,
  isKeywordSchema,
  type Maker,
  NoValueError,
  shown,
  stated,
  texts,
} from '../constraints.js'
import { formatTexts, word, words } from './format-texts.js'
import { isWithin, type Lengths, lengthMost, matches, patternTexts, triesFor } from './pattern-texts.js'

/**
 * Generates texts that fit the lengths, patterns and formats of an alternative.
 * @throws NoValueError if there are none
 */
export function textValues(
  alternative: Alternative,
  { varied }: Maker,
  place: string,
): fc.Arbitrary<JsonValue> {
  const lengths = bounds(alternative, 'minLength', 'maxLength')
  if (lengths.least > Math.min(lengths.most, lengthMost)) throw new NoValueError(place)
  const patterns = texts(alternative, 'pattern')
  const named = texts(alternative, 'format')
  const fits = (text: string) =>
    isWithin(text, lengths) &&
    patterns.every((pattern) => matches(pattern, text)) &&
    // Unknown formats are documentation only.
    named.every((format) => !Object.hasOwn(formats, format) || formats[format]?.(text) === true)
  const tries = Math.min(...patterns.map((pattern) => triesFor(pattern, usualTries)), usualTries)
  const examples = shown(alternative).filter((value) => typeof value === 'string')
  const sources = [
    ...nearTexts(alternative, lengths),
    ...named.flatMap((format) => formatTexts(format) ?? []),
    ...patterns.flatMap((pattern) => patternTexts(pattern, lengths) ?? []),
  ]
  const plain = [wordsWithin(lengths), ...(varied ? [anyText(lengths)] : [])]
  // An unanchored pattern allows text around the match.
  const padded = patterns.filter(isSafe).flatMap((pattern) => {
    const inner = patternTexts(pattern)
    return inner
      ? [fc.tuple(inner, wordsWithin(lengths)).map((all) => all.join('').slice(0, lengths.most))]
      : []
  })
  const examplesLast = examples.length > 0 ? [fc.constantFrom(...examples)] : []
  for (const candidates of [sources, plain, padded, examplesLast]) {
    const found = candidates.flatMap((candidate) => bounded(candidate, fits, place, tries) ?? [])
    if (found.length > 0) return fc.oneof(...found)
  }
  throw new NoValueError(place)
}

/** True unless a text that nearly matches takes exponential time. Lint reports such patterns. */
const isSafe = (pattern: string) => !isUnsafePattern(pattern)

/** Generates near misses of forbidden texts: a character less or more, or upper case. */
function nearTexts({ none }: Alternative, lengths: Lengths): readonly fc.Arbitrary<string>[] {
  const refused = { schemas: none.filter(isKeywordSchema) }
  const listed = [...stated(refused, 'enum'), stated(refused, 'const')].flat()
  const constants = listed.filter((value) => typeof value === 'string')
  const near = [
    ...texts(refused, 'pattern')
      .filter(isSafe)
      .flatMap((pattern) => patternTexts(pattern, lengths) ?? []),
    ...texts(refused, 'format').flatMap((format) => formatTexts(format) ?? []),
    ...(constants.length > 0 ? [fc.constantFrom(...constants)] : []),
  ]
  return near.map((text) => fc.tuple(text, fc.nat(3)).map(([one, at]) => changed(one)[at] ?? one))
}

function changed(text: string): readonly string[] {
  return [text.slice(0, -1), `${text}-`, `-${text}`, text.toUpperCase()]
}

/** Generates one or two words, or more to reach the minimum length, truncated to the maximum. */
function wordsWithin({ least, most }: Lengths): fc.Arbitrary<string> {
  const shortest = Math.min(...words.map(({ length }) => length)) + 1
  const minLength = Math.max(1, Math.ceil((least + 1) / shortest))
  return fc
    .array(word(), { minLength, maxLength: minLength + 1, size: 'max' })
    .map((all) => all.join(' ').slice(0, most).replace(/ $/, 's'))
}

/** Letters of several scripts, and characters that programs often mishandle. */
const characters = [...'aZ0 é日😀\u0301"\\\n\t\u0000\u202e']

function anyText({ least, most }: Lengths): fc.Arbitrary<string> {
  const unit = fc.constantFrom(...characters)
  return fc.string({ minLength: least, maxLength: Math.min(most, least + lengthMost), unit })
}
