import { isCommon } from './common-words.js'
import { escapeViews, type View } from './escape-views.js'
import { escapesIn, findEscaped, type Needle, needleOf, type Range } from './find-escaped.js'

/** Replaces secrets in texts and checks that none is left. */
export interface Redactor {
  /** Replaces every secret by `•••••`. Truncate texts afterwards, otherwise half a secret can remain. */
  redact(text: string): string
  /** Returns true if the text still contains a secret. */
  survives(text: string): boolean
}

const MASK = '•••••'

/**
 * Minimum size of a secret, in bytes, that is also searched in base64 and hexadecimal. Shorter ones would
 * match by chance.
 */
const SHORTEST_ENCODED = 8

/** Minimum length of a secret's beginning that is redacted before a cut, in characters. */
const SHORTEST_BEGINNING = 4

/**
 * Creates a redactor. It finds secrets in any case, percent-encoded, escaped as in JSON or HTML, and in
 * nested combinations. Overlapping secrets are replaced as one. Values shorter than 4 characters, numbers of
 * fewer than 6 digits and common words (`json`, `test`) are not redacted.
 */
export function createRedactor(secrets: readonly string[]): Redactor {
  const needles = [...new Set(secrets.flatMap(formsOf).map(folded))]
    .filter((form) => !isCommon(form))
    .map(needleOf)
  return {
    redact: (text) => {
      let redacted = text
      // A replacement can complete another secret, so the search repeats. The loop ends, because each pass
      // replaces at least one original character.
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
 * Returns the variants of a secret: with its escapes undone, form-encoded (+ for a space), read as Latin-1
 * like headers, and in base64 and hexadecimal.
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
        // The same occurrence as in an earlier view. Its earliest start is kept.
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

/** The ellipsis of a truncated text, with the remains of an escape before it. */
const CUT = /(?:%[0-9a-f]?|\\{1,16}(?:u[0-9a-f]{0,3}|x[0-9a-f]?)?|&#?[0-9a-z]{0,6})?…/g

/**
 * Yields the beginnings of secrets before an ellipsis, because a text can have been truncated inside a
 * secret.
 */
function* beginningsAtCuts(text: string, needles: readonly Needle[]): Generator<Range> {
  for (const { index, 0: mark } of text.matchAll(CUT)) {
    // The remains of an escape can also be part of the secret, so both ends are tried.
    for (const end of new Set([index, index + mark.length - 1])) {
      const start = Math.min(...needles.map(({ value }) => end - beginningLength(text, end, value)))
      if (start < end) yield [start, end]
    }
  }
}

/** Returns the length of the value's beginning at the end of a text, or 0 if it is too short. */
function beginningLength(text: string, end: number, value: string): number {
  for (let length = Math.min(value.length - 1, end); length >= SHORTEST_BEGINNING; length--) {
    const beginning = value.slice(0, length)
    // A mask is not masked again.
    if (text.startsWith(beginning, end - length)) return /[^•]/.test(beginning) ? length : 0
  }
  return 0
}

function* occurrences(text: string, value: string): Generator<Range> {
  for (let at = text.indexOf(value); at >= 0; at = text.indexOf(value, at + 1)) yield [at, at + value.length]
}

/**
 * Returns the end offset in the original text of the character before `index`. One escape can produce several
 * characters.
 */
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

/** Converts to lower case without changing the length, so that offsets remain valid. */
function folded(text: string): string {
  const lower = text.toLowerCase()
  return lower.length === text.length ? lower : text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase())
}
