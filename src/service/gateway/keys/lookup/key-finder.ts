import type { FindKey, KnownKey } from './key-cache.js'

/** Concurrent statements. Lookups beyond that wait for the next statement. */
const CONCURRENT_STATEMENTS = 4
const KEYS_PER_STATEMENT = 200

interface Lookup {
  readonly digest: string
  resolve(found: KnownKey | undefined): void
  reject(error: unknown): void
}

/**
 * Creates a lookup that batches all digests of one event-loop turn into one statement, which costs little more than a
 * statement for a single key.
 * @param findAll finds keys by their digests
 */
export function createKeyFinder(
  findAll: (digests: readonly string[]) => Promise<ReadonlyMap<string, KnownKey>>,
): FindKey {
  const waiting: Lookup[] = []
  let running = 0
  let isTurnEnding = false

  const send = async (lookups: readonly Lookup[]): Promise<void> => {
    running += 1
    try {
      const found = await findAll(lookups.map(({ digest }) => digest))
      for (const { digest, resolve } of lookups) resolve(found.get(digest))
    } catch (error) {
      for (const { reject } of lookups) reject(error)
    }
    running -= 1
    sendWaiting()
  }
  const sendWaiting = () => {
    while (waiting.length > 0 && running < CONCURRENT_STATEMENTS)
      void send(waiting.splice(0, KEYS_PER_STATEMENT))
  }
  return (digest) =>
    new Promise((resolve, reject) => {
      waiting.push({ digest, resolve, reject })
      if (isTurnEnding) return
      isTurnEnding = true
      setImmediate(() => {
        isTurnEnding = false
        sendWaiting()
      })
    })
}
