import type { FindKey, KnownKey } from './key-cache.js'

/** Statements on their way to the database at once; who asks meanwhile travels with the next. */
const STATEMENTS_AT_ONCE = 4
/** Keys in one statement. */
const MOST_KEYS = 200

interface Asker {
  readonly digest: string
  resolve(found: KnownKey | undefined): void
  reject(error: unknown): void
}

/**
 * Finds keys that are asked for in one turn of the loop by one statement, which costs little more than that for one.
 * @param findAll finds the keys of some digests, by digest
 */
export function createKeyFinder(
  findAll: (digests: readonly string[]) => Promise<ReadonlyMap<string, KnownKey>>,
): FindKey {
  const waiting: Asker[] = []
  let underWay = 0
  let isTurnEnding = false

  const send = async (askers: readonly Asker[]): Promise<void> => {
    underWay += 1
    try {
      const found = await findAll(askers.map(({ digest }) => digest))
      for (const { digest, resolve } of askers) resolve(found.get(digest))
    } catch (error) {
      for (const { reject } of askers) reject(error)
    }
    underWay -= 1
    sendMore()
  }
  const sendMore = () => {
    while (waiting.length > 0 && underWay < STATEMENTS_AT_ONCE) void send(waiting.splice(0, MOST_KEYS))
  }
  return (digest) =>
    new Promise((resolve, reject) => {
      waiting.push({ digest, resolve, reject })
      if (isTurnEnding) return
      isTurnEnding = true
      setImmediate(() => {
        isTurnEnding = false
        sendMore()
      })
    })
}
