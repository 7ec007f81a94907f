import { BUCKETS, type FoldOptions, foldUsage, foldUsed } from './journals.js'
import type { OpenDatabase } from './open-store.js'

/** How often one of the buckets is looked at, in milliseconds: each comes about once a minute. */
const TICK_MS = 1_000
/** Of processes that share a database, each looks; the first one to find a bucket that has waited for so long adds it up. */
const DUE: FoldOptions = { afterSeconds: ((TICK_MS / 1_000) * BUCKETS) / 2 }

/** Adds up what is journaled, bucket after bucket, as long as anything may be. */
export interface Folding {
  /** Something has been journaled. */
  wake(): void
  /** Lets what is under way end. */
  close(): Promise<void>
}

/**
 * Begins to add up, also what processes have journaled that are gone.
 * @param onError hears once of each time that the database does not do it; the bucket's turn comes again
 */
export function createFolding(
  { db, connection, server }: Pick<OpenDatabase, 'db' | 'connection' | 'server'>,
  onError: (error: unknown) => void,
): Folding {
  let bucket = 0
  /** Rounds of all buckets that are to be made: after two, what was journaled before the first has been added up. */
  let ticksLeft = 2 * BUCKETS
  let timer: NodeJS.Timeout | undefined
  let underWay: Promise<void> | undefined
  let isDown = false
  let closed = false

  const foldNext = async () => {
    try {
      await foldUsage(db, [bucket], DUE)
      await foldUsed(db, [bucket], DUE)
      bucket = (bucket + 1) % BUCKETS
      ticksLeft -= 1
      // Nobody else does it in the embedded database, and room that is not given back is not used again.
      if (bucket === 0 && server === undefined) await connection.query('vacuum usage_journal, used_journal')
      isDown = false
    } catch (error) {
      if (!isDown) onError(error)
      isDown = true
    }
    underWay = undefined
    start()
  }
  const start = () => {
    if (closed || ticksLeft === 0 || timer !== undefined || underWay !== undefined) return
    timer = setTimeout(() => {
      timer = undefined
      underWay = foldNext()
    }, TICK_MS).unref()
  }
  start()
  return {
    wake() {
      ticksLeft = 2 * BUCKETS
      start()
    },
    async close() {
      closed = true
      clearTimeout(timer)
      await underWay
    },
  }
}
