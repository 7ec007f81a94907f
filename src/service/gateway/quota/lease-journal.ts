import { closeSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { type Database, LEASE_JOURNAL } from '../store/index.js'
import { settle } from './lease-table.js'
import { keepOf, type LeasedCount } from './leased-count.js'
import type { Period } from './window.js'

const OWNER_ONLY_FILE = 0o600
/** Size from which the journal is written anew with the present leases alone, in bytes. */
const LONG_BYTES = 1_048_576
/** It is also so many times longer than the present leases by then. */
const TIMES_LONGER = 4

/**
 * What a process would leave unused if it died now, on its disk. The next process in the data folder returns it: the
 * folder's lock proves that this process is dead, and a frozen one still has the lock.
 */
export interface LeaseJournal {
  /** Notes before requests are admitted or returned that it keeps. */
  lower(count: LeasedCount, left: number): void
  /** Notes the unused requests of a lease, at the end of this turn. */
  keep(count: LeasedCount): void
  /** Removes the journal, since nothing is kept any more. */
  remove(): void
}

/** A process without a journal loses its leases when it dies. */
export const noJournal: LeaseJournal = { lower() {}, keep() {}, remove() {} }

/** Options of {@link createLeaseJournal}. */
export interface LeaseJournalOptions {
  /** The data folder, which this process has locked. */
  readonly folder: string
  /** Id of this process in the table of replicas. */
  readonly replicaId: string
  /** Receives the error after which no journal is kept; the leases of this process are then lost if it dies. */
  readonly onError: (error: unknown) => void
  /** All counts, of which a journal that has become long is written anew. */
  readonly counts: () => Iterable<LeasedCount>
}

/** Requests of a lease that certainly remain unused until the next line about it. */
type Line = readonly [subject: string, period: Period, startsOn: string, kept: number]

const textOf = (counts: Iterable<LeasedCount>) =>
  Array.from(counts, ({ subject, period, window, kept }) => {
    const line: Line = [subject, period, window.startsOn, kept]
    return `${JSON.stringify(line)}\n`
  }).join('')

/**
 * Identifies this start of the machine. A journal of an earlier one is not used, because its last records may not have
 * reached the disk. Undefined where the system does not tell.
 */
function bootId(): string | undefined {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  } catch {
    return undefined
  }
}

/** Creates the journal of a process, which replaces one from before. */
export function createLeaseJournal(options: LeaseJournalOptions): LeaseJournal {
  const { replicaId, counts, onError } = options
  const path = join(options.folder, LEASE_JOURNAL)
  const boot = bootId()
  let file: number | undefined
  let bytes = 0
  let longFrom = LONG_BYTES
  let isOver = boot === undefined
  /** Counts with a new lease. */
  const leased = new Set<LeasedCount>()

  const close = () => {
    if (file !== undefined) closeSync(file)
    file = undefined
  }
  const remove = () => {
    isOver = true
    close()
    rmSync(path, { force: true })
  }
  const attempt = (work: () => void) => {
    if (isOver) return
    try {
      work()
    } catch (error) {
      try {
        // It would return requests that are used by then.
        remove()
      } catch {
        // A folder that cannot be written cannot be locked by a later process, either.
      }
      onError(error)
    }
  }
  const write = (text: string) => {
    const length = Buffer.byteLength(text)
    if (file === undefined || writeSync(file, text) < length) throw new TypeError('the disk is full')
    bytes += length
  }
  const begin = (text: string) => {
    close()
    const next = `${path}.next`
    file = openSync(next, 'w', OWNER_ONLY_FILE)
    bytes = 0
    write(`${JSON.stringify({ replicaId, boot })}\n${text}`)
    renameSync(next, path)
    longFrom = Math.max(LONG_BYTES, TIMES_LONGER * bytes)
  }
  const keepAll = () => {
    const now = performance.now()
    const raised: LeasedCount[] = []
    for (const count of leased) {
      const kept = keepOf(count, count.left, now)
      if (kept <= count.kept) continue
      count.kept = kept
      raised.push(count)
    }
    leased.clear()
    if (raised.length === 0) return
    attempt(() => {
      write(textOf(raised))
      if (bytes >= longFrom) begin(textOf([...counts()].filter(({ kept }) => kept > 0)))
    })
  }
  attempt(() => begin(''))
  return {
    lower(count, left) {
      count.kept = keepOf(count, left, performance.now())
      attempt(() => write(textOf([count])))
    },
    keep(count) {
      if (isOver) return
      if (leased.size === 0) setImmediate(keepAll)
      leased.add(count)
    },
    remove,
  }
}

/**
 * Returns the leases of the last process in this data folder, if it died on this start of the machine. They are returned
 * once, however often this is called, and later statements of the dead process change nothing.
 * @param folder the data folder, which this process has locked
 * @returns the number of returned requests
 */
export async function returnLeasesOfDead(db: Database, folder: string): Promise<number> {
  const [first, ...lines] = readLines(join(folder, LEASE_JOURNAL))
  if (first === undefined) return 0
  const { replicaId, boot } = first as { readonly replicaId: string; readonly boot: string }
  if (boot !== bootId()) return 0
  const kept = new Map((lines as readonly Line[]).map((line) => [line.slice(0, 3).join(' '), line]))
  const rows = [...kept.values()].flatMap(([subject, period, startsOn, returned]) =>
    returned > 0 ? [{ subject, period, startsOn, used: 0, returned }] : [],
  )
  if (rows.length > 0) await settle(db, replicaId, { number: Number.MAX_SAFE_INTEGER, rows })
  return rows.reduce((sum, { returned }) => sum + returned, 0)
}

/** Reads whole lines. A process that dies while it writes a line has admitted nothing that depends on it. */
function readLines(path: string): readonly unknown[] {
  let text = ''
  try {
    text = readFileSync(path, 'utf8')
  } catch {
    return []
  }
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line))
}
