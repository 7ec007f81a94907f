import { closeSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { type Database, LEASE_JOURNAL } from '../store/index.js'
import { settle } from './lease-statements.js'
import { forfeit, keepOf, type LeasedCount } from './leased-count.js'
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

const textOf = ({ subject, period, window }: LeasedCount, kept: number) => {
  const line: Line = [subject, period, window.startsOn, kept]
  return `${JSON.stringify(line)}\n`
}

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
  let bytes = 0
  let longFrom = LONG_BYTES
  let isOver = boot === undefined
  /** Counts with a new lease. */
  const leased = new Set<LeasedCount>()

  const remove = () => {
    if (isOver) return
    isOver = true
    rmSync(path, { force: true })
  }
  /** Ends the journal. If it cannot be removed, a later process returns what it keeps, so this one must not use it. */
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
  /** Writes to the file. It is not held open, so that a disk can be made read-only. */
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
