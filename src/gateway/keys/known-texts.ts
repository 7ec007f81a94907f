import type { AcceptedKey } from './accepted-key.js'

/** The parameters of a path with a key. */
export type KeyParams = { readonly key: string }

/**
 * Keys by their texts, which are looked for among the bytes of a request: to make a text of these, and to compare it with
 * the one that is kept, costs more than all else that is done for a key.
 */
export interface KnownTexts {
  /** The parameters of the path whose key stands at a place of some bytes, and is known. */
  paramsAt(bytes: Uint8Array, place: number, length: number): KeyParams | undefined
  /** The key of a text; without looking for it, when it was the last one found. */
  of(text: string): AcceptedKey | undefined
  /**
   * Keeps a key by its text, which has the length of all texts; others are not kept.
   * @returns the text; the one that was given may hold all of the request that it came in
   */
  set(text: string, key: AcceptedKey): string | undefined
  delete(text: string): void
}

interface Known {
  /** Where its text is among those that are kept. */
  readonly place: number
  readonly params: KeyParams
  key: AcceptedKey
  /** Another one with the same hash. */
  next: Known | undefined
}

const FIRST_ROOM = 64
/** A prime, as in every hash of this kind. */
const HASH_FACTOR = 31
/** Whole numbers up to here are kept without an object for each. */
const HASH_BITS = 0x3fff_ffff

/** @param textLength characters of each text, all of them ASCII */
export function createKnownTexts(textLength: number): KnownTexts {
  const byHash = new Map<number, Known>()
  const free: number[] = []
  let kept = new Uint8Array(FIRST_ROOM * textLength)
  let size = 0
  let last: Known | undefined

  const hashAt = (bytes: Uint8Array, place: number): number => {
    let hash = 0
    for (let at = place; at < place + textLength; at += 1)
      hash = (Math.imul(hash, HASH_FACTOR) + (bytes[at] as number)) | 0
    return hash & HASH_BITS
  }
  const isAt = (bytes: Uint8Array, place: number, known: Known): boolean => {
    let differs = 0
    for (let at = 0; at < textLength; at += 1)
      differs |= (kept[known.place + at] as number) ^ (bytes[place + at] as number)
    return differs === 0
  }
  const findAt = (bytes: Uint8Array, place: number): Known | undefined => {
    let known = byHash.get(hashAt(bytes, place))
    while (known !== undefined && !isAt(bytes, place, known)) known = known.next
    return known
  }
  const find = (text: string): Known | undefined => {
    if (last !== undefined && last.params.key === text) return last
    if (text.length !== textLength) return undefined
    const found = findAt(Buffer.from(text, 'latin1'), 0)
    return found?.params.key === text ? found : undefined
  }
  const takePlace = (): number => {
    const known = free.pop()
    if (known !== undefined) return known
    const place = size * textLength
    size += 1
    if (place === kept.length) {
      const larger = new Uint8Array(kept.length * 2)
      larger.set(kept)
      kept = larger
    }
    return place
  }
  return {
    paramsAt(bytes, place, length) {
      if (length !== textLength) return undefined
      const found = findAt(bytes, place)
      if (found !== undefined) last = found
      return found?.params
    },
    of: (text) => find(text)?.key,
    set(text, key) {
      const known = find(text)
      if (known !== undefined) {
        known.key = key
        return known.params.key
      }
      const bytes = Buffer.from(text, 'latin1')
      const own = bytes.toString('latin1')
      if (own !== text || bytes.length !== textLength) return undefined
      const hash = hashAt(bytes, 0)
      const place = takePlace()
      kept.set(bytes, place)
      byHash.set(hash, { place, params: { key: own }, key, next: byHash.get(hash) })
      return own
    },
    delete(text) {
      const known = find(text)
      if (known === undefined) return
      last = undefined
      free.push(known.place)
      const hash = hashAt(kept, known.place)
      const first = byHash.get(hash)
      if (first !== known) {
        for (let each = first; each !== undefined; each = each.next)
          if (each.next === known) each.next = known.next
      } else if (known.next === undefined) byHash.delete(hash)
      else byHash.set(hash, known.next)
    },
  }
}
