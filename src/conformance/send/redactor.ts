import { isCommon } from './common-words.js'
import { escapeViews } from './escape-views.js'

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
  const needles = [...new Set(secrets.flatMap(formsOf).map(folded))].filter((needle) => !isCommon(needle))
  const rangesIn = (text: string) => (needles.length === 0 ? [] : merged([...found(text, needles)]))
  return {
    redact: (text) => {
      let redacted = text
      // A mask may complete another secret. Each round takes away a character that is no mask: it comes to an end.
      for (let ranges = rangesIn(text); ranges.length > 0; ranges = rangesIn(redacted)) {
        redacted = masked(redacted, ranges)
      }
      return redacted
    },
    survives: (text) => needles.length > 0 && !found(text, needles).next().done,
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

function* found(text: string, needles: readonly string[]): Generator<Range> {
  for (const view of escapeViews(text)) {
    const place = (index: number) => view.from?.[index] ?? index
    const hay = folded(view.text)
    for (const needle of needles) {
      for (let at = hay.indexOf(needle); at >= 0; at = hay.indexOf(needle, at + 1)) {
        yield [place(at), endOf(view, at + needle.length, place)]
      }
    }
  }
}

/** Where the character before `index` ends: several of a view may have come from one escape. */
function endOf(
  { text, from }: { text: string; from: Uint32Array | undefined },
  index: number,
  place: (i: number) => number,
) {
  if (from === undefined) return index
  let next = index
  while (next < text.length && place(next) === place(index - 1)) next++
  return place(next)
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
