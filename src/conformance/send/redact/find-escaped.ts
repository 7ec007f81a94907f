import { utf8Text } from '../decode-body.js'

/** Start and end offset in a text. The end is exclusive. */
export type Range = readonly [start: number, end: number]

/** An escaped character: its meaning and end offset. */
interface Escape {
  readonly character: string
  readonly end: number
}

/** Escapes of a text by start offset. Ambiguous escapes have several readings. */
export type Escapes = ReadonlyMap<number, readonly Escape[]>

/**
 * Number of times that the start of an escape can itself be escaped: `%2d`, `%252d`; `&#45;`, `&amp;#45;`.
 */
const LEVELS = [0, 1, 2, 3, 4]

const PERCENT = LEVELS.map((level) => new RegExp(`%${'25'.repeat(level)}[0-9a-f]{2}`, 'iy'))
const MARKUP = LEVELS.map(
  (level) =>
    new RegExp(`&${'amp;'.repeat(level)}(?:#([0-9]{1,7})|#x([0-9a-f]{1,6})|(amp|lt|gt|quot|apos));`, 'iy'),
)
const SCRIPT = /\\{1,16}(?:u\{([0-9a-f]{1,6})\}|u([0-9a-f]{4})|x([0-9a-f]{2})|([^\w\s\\]|[bfnrtv]))/iy

const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }
const SHORT: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' }

/**
 * Finds the escapes in a text.
 * @param text in lower case
 */
export function escapesIn(text: string): Escapes {
  const escapes = new Map<number, readonly Escape[]>()
  for (const { index, 0: mark } of text.matchAll(/[%\\&]/g)) {
    const read = readers[mark]?.(text, index) ?? []
    if (read.length > 0) escapes.set(index, read)
  }
  return escapes
}

/** A search value, prepared for searching. */
export interface Needle {
  /** In lower case. */
  readonly value: string
  readonly characters: readonly string[]
  /** By character: the preceding text in the value and its length in characters. */
  readonly before: ReadonlyMap<string, readonly (readonly [text: string, count: number])[]>
}

/** @param value in lower case */
export function needleOf(value: string): Needle {
  const characters = [...value]
  const before = new Map<string, (readonly [string, number])[]>()
  for (const [index, character] of characters.entries()) {
    const all = before.get(character) ?? []
    all.push([characters.slice(0, index).join(''), index])
    before.set(character, all)
  }
  return { value, characters, before }
}

/**
 * Yields every range in which a value occurs with at least one escaped character. The search starts at the
 * value, so text before it cannot claim the value's first character as the end of its own escape.
 * @param text in lower case
 */
export function* findEscaped(
  text: string,
  escapes: Escapes,
  { characters, before }: Needle,
): Generator<Range> {
  for (const [place, read] of escapes) {
    for (const { character } of read) {
      // This is the first escaped character. Everything before it is literal.
      for (const [front, index] of before.get(character) ?? []) {
        const start = place - front.length
        if (start < 0 || !text.startsWith(front, start)) continue
        const end = endOfMatch(text, escapes, place, characters.slice(index))
        if (end !== undefined) yield [start, end]
      }
    }
  }
}

/** Returns the end of the match. If a character can start an escape, both readings are tried. */
function endOfMatch(
  text: string,
  escapes: Escapes,
  start: number,
  characters: readonly string[],
): number | undefined {
  const tries: [place: number, index: number][] = [[start, 0]]
  const tried = new Set<number>()
  for (let next = tries.pop(); next !== undefined; next = tries.pop()) {
    const [place, index] = next
    const character = characters[index]
    if (character === undefined) return place
    const state = place * (characters.length + 1) + index
    if (tried.has(state)) continue
    tried.add(state)
    if (text.startsWith(character, place)) tries.push([place + character.length, index + 1])
    for (const read of escapes.get(place) ?? []) {
      if (read.character === character) tries.push([read.end, index + 1])
    }
  }
  return undefined
}

/** Readers of escapes by their first character. */
const readers: Readonly<Record<string, (text: string, place: number) => readonly Escape[]>> = {
  '%': (text, place) => PERCENT.flatMap((pattern) => bytesAt(pattern, text, place)),
  '&': (text, place) => MARKUP.flatMap((pattern) => entityAt(pattern, text, place)),
  '\\': unitsAt,
}

/** Reads percent-encoded UTF-8. */
function bytesAt(pattern: RegExp, text: string, place: number): Escape[] {
  const bytes: number[] = []
  let end = place
  while (bytes.length < 4) {
    const [whole] = matchAt(pattern, text, end)
    if (whole === undefined) return []
    bytes.push(Number.parseInt(whole.slice(-2), 16))
    end += whole.length
    const character = utf8Text(Uint8Array.from(bytes))
    if (character !== undefined) return [{ character: character.toLowerCase(), end }]
  }
  return []
}

function entityAt(pattern: RegExp, text: string, place: number): Escape[] {
  const [whole, decimal, hexadecimal, name] = matchAt(pattern, text, place)
  if (whole === undefined) return []
  const character = NAMED[name ?? ''] ?? fromCode(decimal, 10) ?? fromCode(hexadecimal, 16)
  return character === undefined ? [] : [{ character, end: place + whole.length }]
}

/** Reads JavaScript escapes, which encode UTF-16: a character can take two. */
function unitsAt(text: string, place: number): Escape[] {
  // A backslash can escape the next one or begin the escape after it.
  const pair = text[place + 1] === '\\' ? [{ character: '\\', end: place + 2 }] : []
  const first = unitAt(text, place)
  if (first === undefined) return pair
  const second = /^[\ud800-\udbff]$/.test(first.character) ? unitAt(text, first.end) : undefined
  const both = second && { character: first.character + second.character, end: second.end }
  return [...pair, both ?? first]
}

function unitAt(text: string, place: number): Escape | undefined {
  const [whole, point, unit, byte, short] = matchAt(SCRIPT, text, place)
  if (whole === undefined) return undefined
  const character = short === undefined ? fromCode(point ?? unit ?? byte, 16) : (SHORT[short] ?? short)
  return character === undefined ? undefined : { character, end: place + whole.length }
}

function matchAt(pattern: RegExp, text: string, place: number): readonly (string | undefined)[] {
  pattern.lastIndex = place
  return pattern.exec(text) ?? []
}

function fromCode(digits: string | undefined, base: number): string | undefined {
  const code = Number.parseInt(digits ?? '', base)
  return code <= 0x10ffff ? String.fromCodePoint(code).toLowerCase() : undefined
}
