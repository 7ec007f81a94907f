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
  /** Records in one write that nothing of these leases stays unused, before they are returned. */
  release(counts: readonly LeasedCount[]): void
  /** Deletes the journal, before all leases are returned. Recorded requests of a journal that stays are given up. */
  remove(): void
}

/** Records nothing, so that a crash loses the leases of the process. */
export const noJournal: LeaseJournal = { lower() {}, keep() {}, release() {}, remove() {} }

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

  /**
   * Ends the journal. If it cannot be deleted, the next process returns its requests, so this process gives them up.
   * @returns the error of the file system
   */
  const end = (): unknown => {
    if (isOver) return undefined
    isOver = true
    let problem: unknown
    try {
      rmSync(path, { force: true })
    } catch (error) {
      problem = error
      for (const count of counts()) forfeit(count)
    }
    for (const count of counts()) count.kept = 0
    return problem
  }
  const attempt = (work: () => void): boolean => {
    if (isOver) return false
    try {
      work()
      return true
    } catch (error) {
      end()
      onError(error)
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
    release(given) {
      const recorded = given.filter(({ kept }) => kept > 0)
      if (recorded.length === 0) return
      attempt(() => write(path, 'a', recorded.map((count) => textOf(count, 0)).join('')))
      for (const count of recorded) count.kept = 0
    },
    remove() {
      const problem = end()
      if (problem !== undefined) onError(problem)
    },
  }
}

/** The leases that {@link returnLeasesOfDead} has found. */
export interface LeasesOfDead {
  /** Number of returned requests. */
  readonly returned: number
  /** Why the journal cannot be used; undefined if it can. The leases in it stay counted until their windows end. */
  readonly problem?: unknown
}

/**
 * Returns the unused leases of the previous process in this data folder to the database, if it died since the last
 * boot. Repeated calls have no further effect, and neither have late statements of the dead process. Nothing of a
 * damaged journal is returned, because later lines may have lowered what earlier ones record.
 * @param folder path of the data folder, which this process has locked
 * @throws errors of the database
 */
export async function returnLeasesOfDead(db: Database, folder: string): Promise<LeasesOfDead> {
  let journal: Journal | undefined
  try {
    journal = readJournal(join(folder, LEASE_JOURNAL))
  } catch (problem) {
    return { returned: 0, problem }
  }
  if (journal === undefined) return { returned: 0 }
  const kept = new Map(journal.lines.map((line) => [line.slice(0, 3).join(' '), line]))
  const rows = [...kept.values()].flatMap(([subject, period, startsOn, returned]) =>
    returned > 0 ? [{ subject, period, startsOn, used: 0, returned }] : [],
  )
  if (rows.length > 0) await settle(db, journal.replicaId, { number: Number.MAX_SAFE_INTEGER, rows })
  return { returned: rows.reduce((sum, { returned }) => sum + returned, 0) }
}

/** A journal of this boot. */
interface Journal {
  readonly replicaId: string
  readonly lines: readonly Line[]
}

/**
 * Reads the complete lines. An incomplete last line is ignored: the process admitted nothing that depends on it.
 * @returns undefined if there is no journal of this boot
 * @throws SyntaxError for a damaged journal, and errors of the file system
 */
function readJournal(path: string): Journal | undefined {
  let text = ''
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
  const [first, ...lines] = text.split('\n').slice(0, -1)
  if (first === undefined) return undefined
  const { replicaId, boot } = Object(JSON.parse(first)) as { readonly [name: string]: unknown }
  if (typeof replicaId !== 'string' || typeof boot !== 'string')
    throw new SyntaxError('the first line names no process')
  if (boot !== bootId()) return undefined
  const read = lines.map((line): unknown => JSON.parse(line))
  if (!read.every(isLine)) throw new SyntaxError('a line records no lease')
  return { replicaId, lines: read }
}

function isLine(line: unknown): line is Line {
  if (!Array.isArray(line)) return false
  const [subject, period, startsOn, kept] = line as readonly unknown[]
  return (
    isPlainText(subject) &&
    (period === 'day' || period === 'month') &&
    isDay(startsOn) &&
    Number.isSafeInteger(kept) &&
    Number(kept) >= 0
  )
}

/** Returns true for text that needs no escaping in SQL, as all ids are. */
const isPlainText = (value: unknown) => typeof value === 'string' && /^[\w-]+$/.test(value)

const isDay = (value: unknown) => {
  const time = Date.parse(`${value}T00:00:00Z`)
  return !Number.isNaN(time) && new Date(time).toISOString().slice(0, 10) === value
}
