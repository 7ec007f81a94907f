import { compilePattern } from '../../contract/index.js'

const letters = 'abcdefghijklmnopqrstuvwxyz'
const alphanumeric = [...letters, ...letters.toUpperCase(), ...'0123456789']
const ascii = Array.from({ length: 0x7f - 0x20 }, (_, at) => String.fromCodePoint(0x20 + at))
const lastOfPlane = 0xffff
const lastOfAll = 0x10ffff
const surrogates = [0xd800, 0xdfff] as const
/** So many characters of a set are known at most. */
const knownMost = 100

const known = new Map<string, readonly string[]>()

/**
 * Characters of a set of a pattern, by asking the set itself: those that are easy to read where it has some. A set
 * that is all but some, such as `.` or `[^/]`, gives letters and digits alone unless all of it is wanted.
 */
export function setCharacters(source: string, isWide: boolean): readonly string[] {
  const key = `${isWide} ${source}`
  const found = known.get(key) ?? search(source, isWide)
  known.set(key, found)
  return found
}

function search(source: string, isWide: boolean): readonly string[] {
  const set = compilePattern(`^${source}$`, 'u')
  const has = (character: string) => set.test(character)
  const isOpen = /^(?:\.|\[\^|\\[DSWP])/.test(source)
  const plain = isOpen && !isWide ? alphanumeric.filter(has) : []
  if (plain.length > 0) return plain
  const readable = ascii.filter(has)
  if (readable.length > 0) return readable
  const others = fromRange(0, lastOfPlane, has)
  return others.length > 0 ? others : fromRange(lastOfPlane + 1, lastOfAll, has)
}

function fromRange(first: number, last: number, has: (character: string) => boolean): readonly string[] {
  const found: string[] = []
  for (let code = first; code <= last && found.length < knownMost; code++) {
    if (code >= surrogates[0] && code <= surrogates[1]) continue
    const character = String.fromCodePoint(code)
    if (has(character)) found.push(character)
  }
  return found
}
