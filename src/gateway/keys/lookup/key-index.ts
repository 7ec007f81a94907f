import type { AcceptedKey } from '../accepted-key.js'
import { isKeyText } from '../key-text.js'

/** The path parameters of a request with a key. */
export type KeyParams = { readonly key: string }

/**
 * Index of keys by their texts. It finds a key directly in the bytes of a request, because creating and comparing a
 * string would be the largest part of a lookup.
 */
export interface KeyIndex {
  /** Returns the path parameters for the indexed key whose text starts at an offset of the bytes. */
  paramsAt(bytes: Uint8Array, offset: number, length: number): KeyParams | undefined
  /** Returns the key with this text; fastest if `paramsAt` has just found it. */
  of(text: string): AcceptedKey | undefined
  /**
   * Adds a key. Texts of another length are ignored.
   * @returns a copy of the text; the given string may keep the whole request in memory
   */
  set(text: string, key: AcceptedKey): string | undefined
  delete(text: string): void
}

interface Entry {
  /** Offset of the text in `texts`. */
  readonly offset: number
  readonly params: KeyParams
  key: AcceptedKey
  /** Next entry with the same hash. */
  next: Entry | undefined
}

const INITIAL_CAPACITY = 64
/** Multiplier of the polynomial hash. */
const HASH_FACTOR = 31
/** V8 stores integers of up to 30 bits without allocating an object. */
const HASH_BITS = 0x3fff_ffff

/**
 * Creates an empty index.
 * @param textLength length of each text, in ASCII characters
 */
export function createKeyIndex(textLength: number): KeyIndex {
  const byHash = new Map<number, Entry>()
  const freeOffsets: number[] = []
  let texts = new Uint8Array(INITIAL_CAPACITY * textLength)
  let size = 0
  let last: Entry | undefined

  const hashAt = (bytes: Uint8Array, offset: number): number => {
    let hash = 0
    for (let at = offset; at < offset + textLength; at += 1)
      hash = (Math.imul(hash, HASH_FACTOR) + (bytes[at] as number)) | 0
    return hash & HASH_BITS
  }
  // Compares all characters, so that the duration does not depend on the first difference.
  const isAt = (bytes: Uint8Array, offset: number, entry: Entry): boolean => {
    let differs = 0
    for (let at = 0; at < textLength; at += 1)
      differs |= (texts[entry.offset + at] as number) ^ (bytes[offset + at] as number)
    return differs === 0
  }
  const findAt = (bytes: Uint8Array, offset: number): Entry | undefined => {
    let entry = byHash.get(hashAt(bytes, offset))
    while (entry !== undefined && !isAt(bytes, offset, entry)) entry = entry.next
    return entry
  }
  const find = (text: string): Entry | undefined => {
    if (last !== undefined && last.params.key === text) return last
    if (text.length !== textLength) return undefined
    const found = findAt(Buffer.from(text, 'latin1'), 0)
    return found?.params.key === text ? found : undefined
  }
  const allocate = (): number => {
    const free = freeOffsets.pop()
    if (free !== undefined) return free
    const offset = size * textLength
    size += 1
    if (offset === texts.length) {
      const larger = new Uint8Array(texts.length * 2)
      larger.set(texts)
      texts = larger
    }
    return offset
  }
  return {
    paramsAt(bytes, offset, length) {
      if (length !== textLength) return undefined
      const found = findAt(bytes, offset)
      if (found !== undefined) last = found
      return found?.params
    },
    of: (text) => find(text)?.key,
    set(text, key) {
      const entry = find(text)
      if (entry !== undefined) {
        entry.key = key
        return entry.params.key
      }
      const bytes = Buffer.from(text, 'latin1')
      const own = bytes.toString('latin1')
      if (own !== text || bytes.length !== textLength) return undefined
      const hash = hashAt(bytes, 0)
      const offset = allocate()
      texts.set(bytes, offset)
      byHash.set(hash, { offset, params: { key: own }, key, next: byHash.get(hash) })
      return own
    },
    delete(text) {
      const entry = find(text)
      if (entry === undefined) return
      last = undefined
      freeOffsets.push(entry.offset)
      const hash = hashAt(texts, entry.offset)
      const first = byHash.get(hash)
      if (first !== entry) {
        for (let other = first; other !== undefined; other = other.next)
          if (other.next === entry) other.next = entry.next
      } else if (entry.next === undefined) byHash.delete(hash)
      else byHash.set(hash, entry.next)
    },
  }
}

/**
 * Creates a reader of the key in a request path, which is faster than a router. It returns undefined for any other
 * path, such as one with a query or without a well-formed key. A slash after the key is ignored.
 * @param paths paths of the contract's `x-http`; those that end with `{key}` are read
 * @param paramsAt finds the parameters of an indexed key without creating a string
 */
export function createKeyPath(
  paths: readonly string[],
  paramsAt: KeyIndex['paramsAt'],
): (path: string, bytes?: Uint8Array, pathAt?: number) => KeyParams | undefined {
  const prefixes = paths
    .filter((path) => path.endsWith('{key}'))
    .map((path) => path.slice(0, -'{key}'.length))
  return (path, bytes, pathAt = 0) => {
    const end = path.endsWith('/') ? path.length - 1 : path.length
    for (const prefix of prefixes) {
      if (!path.startsWith(prefix)) continue
      const { length } = prefix
      const known = bytes && paramsAt(bytes, pathAt + length, end - length)
      if (known !== undefined) return known
      const key = path.slice(length, end)
      if (isKeyText(key)) return { key }
    }
    return undefined
  }
}
