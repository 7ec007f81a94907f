import type { AcceptedKey } from '../accepted-key.js'
import { KeyRefusal } from '../key-refusal.js'

/** A key with its state in the database. */
export interface KnownKey {
  readonly key: AcceptedKey
  /** False for a disabled key, which is cached to refuse it without a query. */
  readonly enabled: boolean
  /** For a secret that was replaced, when its grace period ends, in milliseconds since 1970; 0 without one. */
  readonly graceUntil?: number | undefined
}

/** The key of a text that is accepted, or why the key of the text is refused; undefined for the text of no key. */
export type Lookup = AcceptedKey | KeyRefusal | undefined

/** Finds a key by its digest; undefined for an unknown digest. */
export type FindKey = (digest: string) => Promise<KnownKey | undefined>

/** Cache of keys by their digest. */
export interface KeyCache {
  /** Looks a key up; synchronously if it is cached, otherwise after a query. */
  lookup(digest: string): Lookup | Promise<Lookup>
  /**
   * Returns the key if it is cached and accepted, without a query.
   * @param text the key's text, which is indexed for `ofText` until the key leaves the cache, unless it was replaced
   */
  known(digest: string, text?: string): AcceptedKey | undefined
  /** Returns an indexed key by its text, which saves the cost of a digest. */
  ofText(text: string): AcceptedKey | undefined
  /** Removes a key from the cache, because it may have changed. */
  forget(keyId: string): void
  /** Runs a change and removes the key from the cache, so that the next lookup queries the database. */
  changing<T>(keyId: string, change: () => Promise<T>): Promise<T>
}

/**
 * Creates a cache of at most `size` keys that evicts the oldest entry. Unknown digests are not cached, so guesses take
 * no memory and a new key works immediately.
 * @param find queries the database
 * @param size number of keys
 */
export function createKeyCache(find: FindKey, size: number): KeyCache {
  const known = new Map<string, KnownKey>()
  /** Digests of the cached texts of a key, by its id: of its present one, and of replaced ones. */
  const digests = new Map<string, string[]>()
  const byText = new Map<string, AcceptedKey>()
  /** Indexed texts, by key id. */
  const texts = new Map<string, string>()
  const asked = new Map<string, Promise<KnownKey | undefined>>()

  const drop = (keyId: string) => {
    const text = texts.get(keyId)
    for (const digest of digests.get(keyId) ?? []) known.delete(digest)
    digests.delete(keyId)
    texts.delete(keyId)
    if (text !== undefined) byText.delete(text)
  }
  const forget = (keyId: string) => {
    // A query in flight may return the state before the change, so its result must not be cached.
    asked.clear()
    drop(keyId)
  }
  const keep = (digest: string, found: KnownKey) => {
    for (const { key } of known.values()) {
      if (known.size < size) break
      drop(key.id)
    }
    known.set(digest, found)
    const { id } = found.key
    digests.set(id, [...(digests.get(id) ?? []), digest])
  }
  const ask = (digest: string) => {
    const answer = find(digest).then(
      (found) => {
        if (asked.get(digest) !== answer) return found
        asked.delete(digest)
        if (found !== undefined) keep(digest, found)
        return found
      },
      (error: unknown) => {
        if (asked.get(digest) === answer) asked.delete(digest)
        throw error
      },
    )
    asked.set(digest, answer)
    return answer
  }
  return {
    lookup(digest) {
      const found = known.get(digest)
      if (found !== undefined) return outcome(found)
      return (asked.get(digest) ?? ask(digest)).then(outcome)
    },
    known(digest, text) {
      const found = known.get(digest)
      const key = found !== undefined && refusingRule(found) === undefined ? found.key : undefined
      if (key !== undefined && text !== undefined && found?.graceUntil === undefined) {
        const own = copyOf(text)
        byText.set(own, key)
        texts.set(key.id, own)
      }
      return key
    },
    ofText: (text) => byText.get(text),
    forget,
    async changing(keyId, change) {
      forget(keyId)
      try {
        return await change()
      } finally {
        forget(keyId)
      }
    },
  }
}

/** A part of a request's text may keep the whole request in memory. */
const copyOf = (text: string): string => Buffer.from(text).toString()

function outcome(found: KnownKey | undefined): Lookup {
  const rule = found && refusingRule(found)
  return found === undefined || rule === undefined ? found?.key : new KeyRefusal(found.key.id, rule)
}

function refusingRule({ enabled, graceUntil }: KnownKey): 'disabled' | 'rotated' | undefined {
  if (graceUntil !== undefined && graceUntil <= Date.now()) return 'rotated'
  return enabled ? undefined : 'disabled'
}
