import { createTurns } from '../../util/turns.js'
import { bucketOf, bucketsOf, type Known } from './journals.js'

/** Entries that are kept at most, of a few hundred bytes each; of more the database adds up what it has. */
const MOST_ENTRIES = 50_000

/** What the rows of some buckets come to, where this process has written all of them. */
export interface Remembered<Entry> {
  readonly counts: Known<unknown>['counts']
  readonly entries: readonly Entry[]
}

/**
 * What the only process that writes into a journal remembers of it: what was journaled second by second is added up
 * from memory, and the rows are only counted. One that somebody else has added up meanwhile, to read it, is not whole
 * any more, which the count of its rows tells.
 */
export interface OwnJournal<Entry> {
  /**
   * Writes entries, each of them in a row of its bucket.
   * @param write gives the bucket of each row that it has written
   */
  write(entries: readonly Entry[], write: () => Promise<readonly number[]>): Promise<readonly number[]>
  /**
   * Adds up buckets; nothing is written meanwhile.
   * @param fold gets what is remembered of some of them, and gives those that it has added up
   */
  fold(buckets: readonly number[], fold: Fold<Entry>): Promise<void>
}

type Fold<Entry> = (remembered: Remembered<Entry> | undefined) => Promise<readonly number[]>

/**
 * What an entry tells of where it comes from, so that the next one from there is added to it without being looked for: to
 * find one among tens of thousands costs more than all that is then done with it.
 */
export interface EntryOrigin<Entry> {
  /** What it was counted in, with what is remembered of that; entries without are remembered each for itself. */
  readonly source?: { kept: Entry | undefined } | undefined
}

/** How entries are told apart and put together. */
interface EntryKind<Entry> {
  /** Whose entry it is: what its bucket follows from. */
  readonly idOf: (entry: Entry) => string
  /** True for entries of one source that are about the same time. */
  readonly isOfSameTime: (kept: Entry, entry: Entry) => boolean
  /** Adds an entry to one that is kept. */
  readonly add: (kept: Entry, entry: Entry) => void
}

interface Bucket<Entry> {
  rows: number
  /** False where rows may be there that are not remembered. */
  isWhole: boolean
  readonly entries: Entry[]
}

/** Remembers nothing yet: rows of before are counted by the database, and make no bucket whole. */
export function createOwnJournal<Entry extends EntryOrigin<Entry>>({
  idOf,
  isOfSameTime,
  add,
}: EntryKind<Entry>): OwnJournal<Entry> {
  const turns = createTurns(1)
  const known = new Map<number, Bucket<Entry>>()
  const nothing = (): Bucket<Entry> => ({ rows: 0, isWhole: true, entries: [] })
  let kept = 0

  const of = (bucket: number) => {
    const found = known.get(bucket) ?? nothing()
    known.set(bucket, found)
    return found
  }
  const forget = (bucket: number) => {
    const entries = known.get(bucket)?.entries ?? []
    kept -= entries.length
    for (const { source } of entries) if (source !== undefined) source.kept = undefined
    known.delete(bucket)
  }
  /** What is there is added up by the database the next time. */
  const loseTrack = (bucket: number) => {
    forget(bucket)
    of(bucket).isWhole = false
  }
  const remember = (entries: readonly Entry[], rows: readonly number[]) => {
    for (const bucket of rows) of(bucket).rows += 1
    for (const entry of entries) {
      const bucket = bucketOf(idOf(entry))
      const { isWhole, entries: into } = of(bucket)
      if (!isWhole) continue
      const { source } = entry
      const before = source?.kept
      if (before !== undefined && isOfSameTime(before, entry)) {
        add(before, entry)
        continue
      }
      if (source !== undefined) source.kept = entry
      into.push(entry)
      kept += 1
      if (kept > MOST_ENTRIES) loseTrack(bucket)
    }
  }
  return {
    write: (entries, write) =>
      turns.run('', async () => {
        try {
          const rows = await write()
          remember(entries, rows)
          return rows
        } catch (error) {
          // Whether it was written is unknown, and stays so until the bucket is empty.
          for (const bucket of bucketsOf(entries.map(idOf))) loseTrack(bucket)
          throw error
        }
      }),
    fold: (buckets, fold) =>
      turns.run('', async () => {
        const counts: { bucket: number; rows: number }[] = []
        const entries: Entry[] = []
        for (const bucket of buckets) {
          const found = known.get(bucket)
          if (found?.isWhole !== true) continue
          counts.push({ bucket, rows: found.rows })
          entries.push(...found.entries)
        }
        for (const bucket of await fold(counts.length === 0 ? undefined : { counts, entries })) forget(bucket)
      }),
  }
}

/** For a journal that other processes write into as well: nothing is remembered, and nobody waits. */
export const sharedJournal: OwnJournal<never> = {
  write: (_entries, write) => write(),
  async fold(_buckets, fold) {
    await fold(undefined)
  },
}
