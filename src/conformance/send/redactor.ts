import { isCommon } from './common-words.js'
import { escapeViews, type View } from './escape-views.js'
import { secretPattern } from './secret-pattern.js'

/** Replaces secrets in texts, and tells whether one survived. */
export interface Redactor {
  /** The text with every secret replaced by `•••••`; cut long texts afterwards, or half a secret stays. */
  redact(text: string): string
  /** A secret is still in the text. */
  survives(text: string): boolean
}

/** Where a secret stands in a text: from, and up to. */
type Range = readonly [start: number, end: number]

const MASK = '•••••'

/**
 * Makes what replaces secrets by their value: in any case, percent-encoded, escaped as in JSON or HTML, in any mixture
 * and within one another. Overlapping secrets are replaced as one. A value of less than 4 characters, a number of less
 * than 6 digits, and a word that every output has (`json`, `test`) are left: they cannot be hidden.
 */
export function createRedactor(secrets: readonly string[]): Redactor {
  const values = new Set(secrets.flatMap(formsOf).map((form) => form.toLowerCase()))
  const patterns = [...values].filter((value) => !isCommon(value)).map(secretPattern)
  return {
    redact: (text) => {
      let redacted = text
      // A mask may complete another secret. Each round takes away a character that is no mask: it comes to an end.
      for (let ranges = merged([...found(text, patterns)]); ranges.length > 0; ) {
        redacted = masked(redacted, ranges)
        ranges = merged([...found(redacted, patterns)])
      }
      return redacted
    },
    survives: (text) => !found(text, patterns).next().done,
  }
}

/**
 * The last scan of what was written.
 * @returns the places, from 0, of the texts in which a secret survived
 */
export function scanForSecrets(texts: readonly string[], redactor: Redactor): number[] {
  return texts.flatMap((text, index) => (redactor.survives(text) ? [index] : []))
}

/** A secret with its own escapes undone as well, as in a form (+ for a space), and read as Latin-1 as headers are. */
function formsOf(secret: string): string[] {
  const plain = [...escapeViews(secret)].map(({ text }) => text)
  return plain.flatMap((text) => [text, text.replaceAll(' ', '+'), Buffer.from(text).toString('latin1')])
}

function* found(text: string, patterns: readonly RegExp[]): Generator<Range> {
  if (patterns.length === 0) return
  const seen = new Set<string>()
  for (const view of escapeViews(text)) {
    for (const [number, pattern] of patterns.entries()) {
      pattern.lastIndex = 0
      for (let match = pattern.exec(view.text); match !== null; match = pattern.exec(view.text)) {
        pattern.lastIndex = match.index + 1
        const end = placeOfEnd(view, match.index + match[0].length)
        // The same occurrence as in an earlier view, where it is told best from what stands in front of it.
        const occurrence = `${number} ${end}`
        if (seen.has(occurrence)) continue
        seen.add(occurrence)
        yield [view.from?.[match.index] ?? match.index, end]
      }
    }
  }
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
