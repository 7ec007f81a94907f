import { closeSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { type Database, LEASE_JOURNAL } from '../store/index.js'
import { settle } from './lease-statements.js'
import { forfeit, keepOf, type LeasedCount } from './leased-count.js'
import type { Period } from './window.js'

const OWNER_ONLY_FILE = 0o600
/** Minimum size at which the journal is rewritten with only the current leases, in bytes. */
const LONG_BYTES = 1_048_576
/** Minimum growth at which the journal is rewritten, as a multiple of its size after the previous rewrite. */
const TIMES_LONGER = 4

/**
 * Records on disk how many requests of its leases a process would leave unused in a crash. The next process in the data
 * folder returns them to the database. It has locked the folder, so the previous process is dead: a frozen process
 * would still hold the lock.
 */
export interface LeaseJournal {
  /**
   * Lowers the recorded number, before recorded requests are admitted or returned.
   * @param left unused requests afterwards
   */
  lower(count: LeasedCount, left: number): void
  /** Records the unused requests of a lease, at the end of this turn of the event loop. */
  keep(count: LeasedCount): void
  /** Deletes the journal. Call it when no lease is left. */
  remove(): void
}

/** Records nothing, so that a crash loses the leases of the process. */
export const noJournal: LeaseJournal = { lower() {}, keep() {}, remove() {} }

/** Options of {@link createLeaseJournal}. */
export interface LeaseJournalOptions {
  /** The data folder, which this process has locked. */
  readonly folder: string
  /** Id of this process in the table of replicas. */
  readonly replicaId: string
  /** Receives the error that ends the journal. From then on, a crash loses the leases of this process. */
  readonly onError: (error: unknown) => void
  /** Returns all counts, for rewriting the journal. */
  readonly counts: () => Iterable<LeasedCount>
}

/** A line of the journal: requests of a lease that stay unused until the next line about that lease. */
type Line = readonly [subject: string, period: Period, startsOn: string, kept: number]

const textOf = ({ subject, period, window }: LeasedCount, kept: number) => {
  const line: Line = [subject, period, window.startsOn, kept]
  return `${JSON.stringify(line)}\n`
}

/**
 * Returns the boot id of the machine; undefined if the system has none. A journal from before a reboot is ignored,
 * because its last lines may not have reached the disk.
 */
function bootId(): string | undefined {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  } catch {
    return undefined
  }
}

/** Creates the journal of a process, which replaces the previous journal. */
export function createLeaseJournal(options: LeaseJournalOptions): LeaseJournal {
  const { replicaId, counts, onError } = options
  const path = join(options.folder, LEASE_JOURNAL)
  const boot = bootId()
  let bytes = 0
  let longFrom = LONG_BYTES
  let isOver = boot === undefined
  /** Counts with a lease that is not recorded yet. */
  const leased = new Set<LeasedCount>()

  const remove = () => {
    if (isOver) return
    isOver = true
    rmSync(path, { force: true })
  }
  /**
   * Ends the journal. If it cannot be deleted, the next process returns its requests, so this process gives them up.
   */
  const give = (error: unknown) => {
    try {
      remove()
    } catch {
      for (const count of counts()) forfeit(count)
    }
    for (const count of counts()) count.kept = 0
    onError(error)
  }
  const attempt = (work: () => void): boolean => {
    if (isOver) return false
    try {
      work()
      return true
    } catch (error) {
      give(error)
      return false
    }
  }
  /** Writes to a file. The file is not kept open, so that the disk can be remounted read-only. */
  const write = (to: string, flag: 'a' | 'w', text: string) => {
    const length = Buffer.byteLength(text)
    const file = openSync(to, flag, OWNER_ONLY_FILE)
    try {
      if (writeSync(file, text) < length) throw new TypeError('the disk is full')
    } finally {
      closeSync(file)
    }
    bytes = flag === 'a' ? bytes + length : length
  }
  const begin = (text: string) => {
    const next = `${path}.next`
    write(next, 'w', `${JSON.stringify({ replicaId, boot })}\n${text}`)
    renameSync(next, path)
    longFrom = Math.max(LONG_BYTES, TIMES_LONGER * bytes)
  }
  const keepAll = () => {
    const now = performance.now()
    const raised = [...leased]
      .map((count) => ({ count, kept: keepOf(count, count.left, now) }))
      .filter(({ count, kept }) => kept > count.kept)
    leased.clear()
    if (raised.length === 0) return
    const isWritten = attempt(() =>
      write(path, 'a', raised.map(({ count, kept }) => textOf(count, kept)).join('')),
    )
    if (!isWritten) return
    for (const { count, kept } of raised) count.kept = kept
    const kept = () => [...counts()].filter((count) => count.kept > 0)
    if (bytes >= longFrom)
      attempt(() =>
        begin(
          kept()
            .map((count) => textOf(count, count.kept))
            .join(''),
        ),
      )
  }
  attempt(() => begin(''))
  return {
    lower(count, left) {
      const kept = keepOf(count, left, performance.now())
      if (attempt(() => write(path, 'a', textOf(count, kept)))) count.kept = kept
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
 * Returns the unused leases of the previous process in this data folder to the database, if it died since the last
 * boot. Repeated calls have no further effect, and neither have late statements of the dead process.
 * @param folder path of the data folder, which this process has locked
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

/** Reads the complete lines. An incomplete last line is ignored: the process admitted nothing that depends on it. */
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
