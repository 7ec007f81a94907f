import { isCommon } from './common-words.js'
import { escapeViews, type View } from './escape-views.js'
import { escapesIn, findEscaped, type Needle, needleOf, type Range } from './find-escaped.js'

/** Replaces secrets in texts, and tells whether one survived. */
export interface Redactor {
  /** The text with every secret replaced by `•••••`; cut long texts afterwards, or half a secret stays. */
  redact(text: string): string
  /** A secret is still in the text. */
  survives(text: string): boolean
}

const MASK = '•••••'

/** Bytes of a secret from which on it is looked for in base64 and hexadecimal: less would be found by chance. */
const SHORTEST_ENCODED = 8

/** Characters at the beginning of a secret that tell something of it. */
const SHORTEST_BEGINNING = 4

/**
 * Makes what replaces secrets by their value: in any case, percent-encoded, escaped as in JSON or HTML, in any mixture
 * and within one another. Overlapping secrets are replaced as one. A value of less than 4 characters, a number of less
 * than 6 digits, and a word that every output has (`json`, `test`) are left: they cannot be hidden.
 */
export function createRedactor(secrets: readonly string[]): Redactor {
  const needles = [...new Set(secrets.flatMap(formsOf).map(folded))]
    .filter((form) => !isCommon(form))
    .map(needleOf)
  return {
    redact: (text) => {
      let redacted = text
      // A mask may complete another secret. Each round takes away a character that is no mask: it comes to an end.
      for (let ranges = merged([...found(text, needles)]); ranges.length > 0; ) {
        redacted = masked(redacted, ranges)
        ranges = merged([...found(redacted, needles)])
      }
      return redacted
    },
    survives: (text) => !found(text, needles).next().done,
  }
}

/**
 * The last scan of what was written.
 * @returns the places, from 0, of the texts in which a secret survived
 */
export function scanForSecrets(texts: readonly string[], redactor: Redactor): number[] {
  return texts.flatMap((text, index) => (redactor.survives(text) ? [index] : []))
}

/**
 * A secret with its own escapes undone as well, as in a form (+ for a space), read as Latin-1 as headers are, and its
 * bytes in base64 and hexadecimal.
 */
function formsOf(secret: string): string[] {
  const plain = [...escapeViews(secret)].map(({ text }) => text)
  return plain.flatMap((text) => {
    const bytes = Buffer.from(text)
    const forms = [text, text.replaceAll(' ', '+'), bytes.toString('latin1')]
    if (bytes.length < SHORTEST_ENCODED) return forms
    return [
      ...forms,
      bytes.toString('base64').replace(/=+$/, ''),
      bytes.toString('base64url'),
      bytes.toString('hex'),
    ]
  })
}

function* found(text: string, needles: readonly Needle[]): Generator<Range> {
  if (needles.length === 0) return
  const seen = new Set<string>()
  for (const view of escapeViews(text)) {
    const hay = folded(view.text)
    const escapes = view.from === undefined ? escapesIn(hay) : new Map()
    for (const [number, needle] of needles.entries()) {
      for (const [start, end] of [...occurrences(hay, needle.value), ...findEscaped(hay, escapes, needle)]) {
        const endPlace = placeOfEnd(view, end)
        // The same one as in an earlier view, where it is told best from what stands in front of it.
        const occurrence = `${number} ${endPlace}`
        if (seen.has(occurrence)) continue
        seen.add(occurrence)
        yield [view.from?.[start] ?? start, endPlace]
      }
    }
    for (const [start, end] of beginningsAtCuts(hay, needles)) {
      yield [view.from?.[start] ?? start, placeOfEnd(view, end)]
    }
  }
}

/** What a long text is cut with, and what may be left before it of an escape that was cut through. */
const CUT = /(?:%[0-9a-f]?|\\{1,16}(?:u[0-9a-f]{0,3}|x[0-9a-f]?)?|&#?[0-9a-z]{0,6})?…/g

/** The beginnings of secrets before a cut: a long text may have been cut in the middle of one before it came here. */
function* beginningsAtCuts(text: string, needles: readonly Needle[]): Generator<Range> {
  for (const { index, 0: mark } of text.matchAll(CUT)) {
    // Without an escape that was cut through, too: it may be what the secret itself has there.
    for (const end of new Set([index, index + mark.length - 1])) {
      const start = Math.min(...needles.map(({ value }) => end - beginningLength(text, end, value)))
      if (start < end) yield [start, end]
    }
  }
}

/** How much of the beginning of a value ends a text, where it is enough to tell it from others. */
function beginningLength(text: string, end: number, value: string): number {
  for (let length = Math.min(value.length - 1, end); length >= SHORTEST_BEGINNING; length--) {
    const beginning = value.slice(0, length)
    // What is a mask already is not masked for ever.
    if (text.startsWith(beginning, end - length)) return /[^•]/.test(beginning) ? length : 0
  }
  return 0
}

function* occurrences(text: string, value: string): Generator<Range> {
  for (let at = text.indexOf(value); at >= 0; at = text.indexOf(value, at + 1)) yield [at, at + value.length]
}

/** Where the character before `index` ends in the first text: one escape may have made several characters. */
function placeOfEnd({ text, from }: View, index: number): number {
  if (from === undefined) return index
  let next = index
  while (next < text.length && from[next] === from[index - 1]) next++
  return from[next] ?? next
}

function merged(ranges: Range[]): Range[] {
  const all: [number, number][] = []
  for (const [start, end] of ranges.sort(([a], [b]) => a - b)) {
    const last = all.at(-1)
    if (last !== undefined && start < last[1]) last[1] = Math.max(last[1], end)
    else all.push([start, end])
  }
  return all
}

function masked(text: string, ranges: readonly Range[]): string {
  let from = 0
  const parts = ranges.map(([start, end]) => {
    const part = text.slice(from, start) + MASK
    from = end
    return part
  })
  return parts.join('') + text.slice(from)
}

/** In lower case without a change of length, so that places stay what they are. */
function folded(text: string): string {
  const lower = text.toLowerCase()
  return lower.length === text.length ? lower : text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase())
}
