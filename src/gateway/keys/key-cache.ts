import type { AcceptedKey } from './accepted-key.js'
import { createKnownTexts, type KnownTexts } from './known-texts.js'

/** A key as the database has it. */
export interface KnownKey {
  readonly key: AcceptedKey
  /** False for a disabled key: it is known, and refused. */
  readonly enabled: boolean
}

/** Finds a key by its digest; undefined where there is none. */
export type FindKey = (digest: string) => Promise<KnownKey | undefined>

/** Keys by their digest, answered at once when they have been asked for before. */
export interface KeyCache {
  /** The key when it is enabled; at once when known, else after asking the database. */
  lookup(digest: string): AcceptedKey | undefined | Promise<AcceptedKey | undefined>
  /**
   * The key when it is kept and enabled; the database is not asked.
   * @param text is kept with it, as long as it is, for `ofText`
   */
  known(digest: string, text?: string): AcceptedKey | undefined
  /** The same by the text of a key that was known before: a digest costs more than all else that is done for a key. */
  ofText(text: string): AcceptedKey | undefined
  /** The parameters of a path with such a text, which stands at a place of a request's bytes. */
  readonly paramsAt: KnownTexts['paramsAt']
  /** Forgets a key that another process has changed. */
  forget(keyId: string): void
  /** Runs a change and forgets the key with this id, so that the next lookup sees what is stored then. */
  changing<T>(keyId: string, change: () => Promise<T>): Promise<T>
}

/**
 * Keeps at most `size` known keys, the longest kept going first. Unknown digests are not kept at all: a
 * flood of guesses takes no memory, and a new key works at once.
 * @param textLength characters of each key's text
 */
export function createKeyCache(find: FindKey, size: number, textLength: number): KeyCache {
  const known = new Map<string, KnownKey>()
  const digests = new Map<string, string>()
  /** Keys that are enabled by the text; and the texts by the key's id. */
  const byText = createKnownTexts(textLength)
  const texts = new Map<string, string>()
  const asked = new Map<string, Promise<KnownKey | undefined>>()

  const drop = (keyId: string) => {
    const digest = digests.get(keyId)
    const text = texts.get(keyId)
    digests.delete(keyId)
    texts.delete(keyId)
    if (digest !== undefined) known.delete(digest)
    if (text !== undefined) byText.delete(text)
  }
  const forget = (keyId: string) => {
    // An answer under way may be older than the change: it is given to those who wait, and not kept.
    asked.clear()
    drop(keyId)
  }
  const keep = (digest: string, found: KnownKey) => {
    for (const { key } of known.values()) {
      if (known.size < size) break
      drop(key.id)
    }
    known.set(digest, found)
    digests.set(found.key.id, digest)
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
      if (found !== undefined) return accepted(found)
      return (asked.get(digest) ?? ask(digest)).then(accepted)
    },
    known(digest, text) {
      const key = accepted(known.get(digest))
      if (key !== undefined && text !== undefined) {
        const own = byText.set(text, key)
        if (own !== undefined) texts.set(key.id, own)
      }
      return key
    },
    ofText: byText.of,
    paramsAt: byText.paramsAt,
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

function accepted(found: KnownKey | undefined): AcceptedKey | undefined {
  return found?.enabled === true ? found.key : undefined
}
