import { decodedEscape, isEscape } from './escapes.js'

/** Start and end offset in a text. The end is exclusive. */
export type Range = readonly [start: number, end: number]

/** The decoded meaning of a part of a text, and the part's end. */
type Reading = readonly [text: string, end: number]

/** A meaning of the escape at an offset, and the escape's end. */
interface Escape {
  readonly start: number
  readonly character: string
  readonly after: number
}

/** Maximum depth of nested escapes. JSON in JSON in a URL has three. */
const LEVELS = 4

/** A complete or truncated escape. Only lead bytes of multi-byte characters are followed by further bytes. */
const BEGINNING =
  /^(?:%(?:[0-9a-f]{0,2}|[c-f][0-9a-f](?:%[89ab][0-9a-f]){0,2}%(?:[89ab][0-9a-f]?)?)|\\(?:u(?:[0-9a-f]{0,4}|\{[0-9a-f]{0,6}\}?)|x[0-9a-f]{0,2}|.)?|&(?:#(?:x[0-9a-f]{0,6}|[0-9]{0,7})|[a-z]{0,4});?)$/s

/** A value to search for. */
export interface Needle {
  /** In lower case, as {@link folded} makes it. */
  readonly value: string
  /** Minimum length of a prefix before a truncation that counts as the value, in characters. */
  readonly beginning: number
}

/** A text searchable for values with escaped characters (URL, JSON, JavaScript or HTML). */
export class EscapedText {
  readonly #text: string
  /** Possible truncations inside a value: before an ellipsis or an incomplete escape. */
  readonly #cuts: Set<number>
  /** Possible starts of escapes. */
  readonly #starts: readonly number[]
  /** The meanings of all escapes, in order; undefined before the first search. */
  #escapes: readonly Escape[] | undefined
  /** The distinct meanings of all escapes. Most values contain none of them. */
  #characters: ReadonlySet<string> | undefined
  /** Cached meanings by offset and depth. */
  readonly #readings = new Map<number, readonly Reading[]>()
  /** Decoded escapes, `''` for an incomplete one and undefined for other texts. A text repeats the same few escapes. */
  readonly #meanings = new Map<string, string | undefined>()

  constructor(text: string) {
    const placesOf = (pattern: RegExp) => [...text.matchAll(pattern)].map(({ index }) => index)
    this.#text = folded(text)
    this.#cuts = new Set(placesOf(/…/g))
    this.#starts = placesOf(/[%\\&]/g)
  }

  /** Yields the ranges of a value, and of its prefixes before a truncation. */
  *find(needle: Needle): Generator<Range> {
    const { value, beginning } = needle
    const text = this.#text
    const seen = new Set<number>()
    for (let at = text.indexOf(value); at >= 0; at = text.indexOf(value, at + 1)) {
      yield [at, at + value.length]
      seen.add(stateOf(needle, at + value.length, value.length))
    }
    this.#escapes ??= this.#starts.flatMap((start) =>
      this.#escapesAt(start, LEVELS).map(([character, after]) => ({ start, character, after })),
    )
    this.#characters ??= new Set(this.#escapes.map(({ character }) => character))
    const wanted = new Set([...this.#characters].filter((character) => value.includes(character)))
    for (const { start, character, after } of wanted.size > 0 ? this.#escapes : []) {
      if (!wanted.has(character)) continue
      // This is the first escaped character. Everything before it is literal.
      for (let at = value.indexOf(character); at >= 0; at = value.indexOf(character, at + 1)) {
        if (at > start || !text.startsWith(value.slice(0, at), start - at)) continue
        const end = this.#endOf(needle, after, at + character.length, seen)
        // Backslashes before a letter or digit stay, because JSON needs them.
        const isLiteral = at === 0 && /^\\+[a-z0-9]$/.test(text.slice(start, after))
        if (end !== undefined) yield [isLiteral ? after - 1 : start - at, end]
      }
    }
    for (const cut of this.#cuts) {
      let length = Math.min(value.length - 1, cut)
      while (length >= beginning && !text.startsWith(value.slice(0, length), cut - length)) length--
      if (length >= beginning) yield [cut - length, cut]
    }
  }

  /**
   * Returns the last end of a value, or of its prefix before a truncation.
   * @param from the place from which the value is read, from an offset on
   * @param seen what was read before: it leads to the same ends, which ranges cover
   */
  #endOf(needle: Needle, from: number, offset: number, seen: Set<number>): number | undefined {
    const { value, beginning } = needle
    const waiting: [place: number, at: number][] = [[from, offset]]
    let end: number | undefined
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const [place, at] = next
      if (seen.has(stateOf(needle, place, at))) continue
      seen.add(stateOf(needle, place, at))
      const readings = this.#readingsAt(place, LEVELS)
      if (at === value.length || (at >= beginning && this.#cuts.has(place))) end = Math.max(end ?? 0, place)
      for (const [character, after] of readings) {
        if (value.startsWith(character, at)) waiting.push([after, at + character.length])
      }
    }
    return end
  }

  /** Returns the meanings at an offset: the literal character and those of escapes. */
  #readingsAt(place: number, levels: number): readonly Reading[] {
    const character = this.#text[place]
    return character === undefined ? [] : [[character, place + 1], ...this.#escapesAt(place, levels)]
  }

  /** Returns the meanings of escapes at an offset. Escapes may be nested. */
  #escapesAt(place: number, levels: number): readonly Reading[] {
    if (levels === 0 || !/[%\\&]/.test(this.#text[place] ?? '')) return []
    const key = place * (LEVELS + 1) + levels
    const known = this.#readings.get(key)
    if (known !== undefined) return known
    const found = new Map<string, Reading>()
    const waiting: Reading[] = [['', place]]
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const [written, end] = next
      const parts = this.#readingsAt(end, levels - 1)
      const meaning = this.#meaningOf(written) ?? ''
      if (meaning !== '') found.set(`${end} ${meaning}`, [meaning, end])
      else if (written !== '' && this.#cuts.has(end)) this.#cuts.add(place)
      for (const [part, after] of parts) {
        const longer = written + part
        if (this.#meaningOf(longer) !== undefined) waiting.push([longer, after])
      }
    }
    const all = [...found.values()]
    this.#readings.set(key, all)
    return all
  }

  /** Decodes an escape. Returns `''` for the beginning of an escape, and undefined for other texts. */
  #meaningOf(written: string): string | undefined {
    const known = this.#meanings.get(written)
    if (known !== undefined || this.#meanings.has(written)) return known
    let meaning: string | undefined
    if (BEGINNING.test(written)) meaning = isEscape(written) ? folded(decodedEscape(written)) : ''
    this.#meanings.set(written, meaning)
    return meaning
  }
}

const stateOf = ({ value }: Needle, place: number, at: number) => place * (value.length + 1) + at

/**
 * Converts to lower case, each character by itself, and without changing the length: offsets remain valid, and an escaped
 * character has the form that it has in a text.
 */
export function folded(text: string): string {
  return text.replaceAll(/[A-Z]+|[\u0080-\ud7ff\ue000-\uffff]/g, (letters) => {
    const lower = letters.toLowerCase()
    return lower.length === letters.length ? lower : letters
  })
}
