import { allBuckets, BUCKETS, type FoldOptions } from './journals.js'

const TICK_MS = 1_000
/**
 * Of processes that share a database, each looks where it has journaled something; the first one to find a bucket that
 * has waited for so long adds it up, for all.
 */
const DUE: FoldOptions = { afterSeconds: 30 }
/**
 * Buckets added up in one statement at most: planning one costs the embedded database as much as sixteen users in it.
 */
const MOST_TOGETHER = 8
/** In milliseconds: what waits behind a statement that takes longer would be leases, so the next one has half as many. */
const LONG_MS = 100
/** Times that a bucket is added up after something was journaled in it: what is too young at the first is not at the second. */
const LOOKS = 2

/**
 * Where a process knows what it has journaled, four rounds of five only put that together, and the fifth adds it up: to
 * add something to the counts of a user costs far more, whether it is one minute or five.
 */
const ROUNDS_TO_FOLD = 5
/** Buckets that are added up in the same round, so that there are as many in each. */
const NEIGHBOURS = MOST_TOGETHER

/** Adds up what is journaled, bucket after bucket, where anything may be. */
export interface Folding {
  /** Something has been journaled in these buckets. */
  wake(buckets: readonly number[]): void
  /** Lets what is under way end. */
  close(): Promise<void>
}

/** What is done for a journal. */
export interface FoldingOptions {
  /** Adds up the rows of some buckets. */
  readonly fold: (buckets: readonly number[], options: FoldOptions) => Promise<void>
  /** Puts the rows of some buckets together; undefined where that would cost as much as to add them up. */
  readonly pack?: ((buckets: readonly number[], options: FoldOptions) => Promise<void>) | undefined
  /** Runs after each round of all buckets in which something was added up. */
  readonly afterRound: () => Promise<unknown>
  /** Hears once of each time that the database does not do it; the bucket's turn comes again. */
  readonly onError: (error: unknown) => void
  /** Time for each bucket, which is looked at with others or alone; its turn comes about once a minute when not given. */
  readonly tickMilliseconds?: number
}

/** Begins to add up, also what processes have journaled that are gone. */
export function createFolding(options: FoldingOptions): Folding {
  const { fold, pack, afterRound, onError, tickMilliseconds = TICK_MS } = options
  /** How often each bucket is still to be added up. */
  const looks = new Uint8Array(BUCKETS).fill(LOOKS)
  let bucket = 0
  let round = 0
  let together = 1
  let isIdleRound = true
  let isDown = false
  let closed = false
  let timer: NodeJS.Timeout | undefined
  let underWay: Promise<void> | undefined

  const foldNext = async () => {
    try {
      const next = Math.min(bucket + together, BUCKETS)
      const some = allBuckets.slice(bucket, next).filter((each) => (looks[each] ?? 0) > 0)
      if (some.length > 0) {
        const startedAt = performance.now()
        const isPacked = (each: number) =>
          pack !== undefined && (round + Math.floor(each / NEIGHBOURS)) % ROUNDS_TO_FOLD !== 0
        const packed = some.filter(isPacked)
        const folded = some.filter((each) => !isPacked(each))
        if (packed.length > 0) await pack?.(packed, DUE)
        if (folded.length > 0) await fold(folded, DUE)
        const isLong = performance.now() - startedAt > LONG_MS
        together = isLong ? Math.max(1, together / 2) : Math.min(MOST_TOGETHER, together * 2)
        for (const each of folded) looks[each] = Math.max(0, (looks[each] ?? 0) - 1)
        isIdleRound = false
      }
      bucket = next % BUCKETS
      if (bucket === 0) round += 1
      if (bucket === 0 && !isIdleRound) {
        await afterRound()
        isIdleRound = true
      }
      isDown = false
    } catch (error) {
      if (!isDown) onError(error)
      isDown = true
    }
    underWay = undefined
    start()
  }
  const start = () => {
    if (closed || timer !== undefined || underWay !== undefined) return
    if (isIdleRound && looks.every((left) => left === 0)) return
    timer = setTimeout(() => {
      timer = undefined
      underWay = foldNext()
    }, tickMilliseconds * together).unref()
  }
  start()
  return {
    wake(buckets) {
      for (const each of buckets) looks[each] = LOOKS
      start()
    },
    async close() {
      closed = true
      clearTimeout(timer)
      await underWay
    },
  }
}
