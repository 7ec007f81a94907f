import { isCommon } from './common-words.js'
import { EscapedText, folded, type Needle, type Range } from './escaped-text.js'
import { escapeViews } from './escapes.js'

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
    // Masks are not masked again.
    .map((value) => ({ value, beginning: Math.max(SHORTEST_BEGINNING, value.search(/[^•]/) + 1) }))
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
  return [...escapeViews(secret)].flatMap((text) => {
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
  const searched = new EscapedText(text)
  for (const needle of needles) yield* searched.find(needle)
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
