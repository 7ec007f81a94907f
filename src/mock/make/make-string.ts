import { formats } from '../../contract/index.js'
import { formatText } from './format-text.js'
import { bounds, texts } from './keywords.js'
import { matches } from './matches.js'
import { NoValueError } from './no-value.js'
import { type Lengths, lengthMost, patternText } from './pattern-text.js'
import type { Random } from './random.js'
import type { Demand } from './wish.js'
import { makeWords } from './words.js'

/** So many texts are tried for each pattern. */
const triesMost = 30

/**
 * A text of the length, for the patterns and of the format that a demand asks for.
 * @throws NoValueError where none was found
 */
export function makeString(demand: Demand, random: Random, place: string): string {
  const lengths = bounds(demand, 'minLength', 'maxLength')
  const patterns = [...new Set(texts(demand, 'pattern'))]
  if (lengths.least > Math.min(lengths.most, lengthMost)) throw new NoValueError(place)
  const named = texts(demand, 'format')
  const fits = (text: string) =>
    isWithin(text, lengths) &&
    patterns.every((pattern) => matches(pattern, text)) &&
    named.every((format) => isOfFormat(text, format))
  const formatted = named.flatMap((format) => formatText(format, random) ?? [])
  const found = [...formatted, wordsWithin(lengths, random)].find(fits)
  if (found !== undefined) return found
  for (let tried = 0; tried < triesMost; tried++) {
    for (const pattern of patterns) {
      const text = patternText(pattern, lengths, random, tried >= triesMost / 2)
      const fitting = text === undefined ? undefined : paddings(text, lengths, random).find(fits)
      if (fitting !== undefined) return fitting
    }
  }
  throw new NoValueError(place)
}

/** Formats that are not validated are for people. */
function isOfFormat(text: string, format: string): boolean {
  return !Object.hasOwn(formats, format) || formats[format]?.(text) === true
}

function isWithin(text: string, { least, most }: Lengths): boolean {
  const { length } = [...text]
  return length >= least && length <= most
}

/** A pattern that is not tied to the ends of a text leaves room around it. */
function paddings(text: string, { least }: Lengths, random: Random): readonly string[] {
  const missing = least - [...text].length
  if (missing <= 0) return [text]
  const padding = wordsWithin({ least: missing, most: missing }, random)
  return [text + padding, padding + text]
}

/** One or two words, or as many as it takes; cut where they are too long. */
function wordsWithin({ least, most }: Lengths, random: Random): string {
  let text = makeWords(random, random.whole(1, 2))
  while (text.length < least) text += ` ${makeWords(random, 1)}`
  return text.slice(0, most).replace(/ $/, 's')
}
