import type { KeyNotes } from '../keys/key-notes.js'
import { durationClass } from '../store/duration-classes.js'
import { addRow, type UsageBatch, type UsageRow } from './usage-table.js'

/** Times in milliseconds; sizes in rows. */
const options = {
  /** How often counts are handed over: what a killed process loses. */
  flushMs: 1_000,
  /** Rows in one statement: two megabytes. */
  batchRows: 20_000,
  /** Rows that wait while the database does not answer. Past that, minutes are put together; past that, rows are lost. */
  waitingRows: 50_000,
  deleteMs: 60_000,
} as const
const MINUTE_MS = 60_000
const MICROSECONDS_PER_MILLISECOND = 1_000

/** Usage by key, method and outcome (specification 5.4), written behind and never waited for. */
export interface Usage {
  /**
   * Counts a response.
   * @param method the contract's; empty for what named none
   * @param code of the error that was answered; 0 for a result
   * @param microseconds time to the answer
   * @param notes of the key
   */
  count(keyId: string, method: string, code: number, microseconds: number, notes?: KeyNotes): void
  /** Writes down everything that was counted. */
  close(): Promise<void>
}

/** What usage is kept with. */
export interface UsageOptions {
  /** Writes a batch; called again with the same batch until it succeeds. */
  readonly write: (batch: UsageBatch) => Promise<void>
  /** Deletes what is kept no longer; true when there may be more. */
  readonly deleteOld: () => Promise<boolean>
  /** Hears of batches that could not be written; they are tried again. `lost` counts the responses that are given up. */
  readonly onError: (error: unknown, lost: number) => void
  /** ms since 1970. */
  readonly now?: () => number
}

/**
 * What is counted of a key, a method, an outcome and a class of duration. A key's are a list, and stay in it when they
 * have been handed over: to find and change one costs less than to make one.
 */
class Count {
  /** None while it is not one of those to be handed over. */
  requests = 0
  /** Whole ones, as everywhere below: a fraction would be an object of its own. */
  microseconds = 0
  slowestMicroseconds = 0
  next: Count | undefined
  /** The row that is remembered, which later ones are added to. */
  kept: UsageRow | undefined = undefined
  readonly keyId: string
  readonly method: string
  readonly code: number
  readonly durationClass: number

  constructor(next: Count | undefined, keyId: string, method: string, code: number, durationClass: number) {
    this.next = next
    this.keyId = keyId
    this.method = method
    this.code = code
    this.durationClass = durationClass
  }
}

/** Counts of a key that are kept without being used: a few are most of what a key ever needs. */
const UNUSED_COUNTS = 4

/** Creates the usage of one process. */
export function createUsage({ write, deleteOld, onError, now = Date.now }: UsageOptions): Usage {
  /** What was counted in since the last hand-over, and the counts of keys that have no notes. */
  let current: Count[] = []
  let unnoted = new Map<string, Count>()
  let waiting = new Map<string, UsageRow>()
  let batch: UsageBatch | undefined
  let written = 0
  let lost = 0
  let writing: Promise<void> | undefined
  let timer: NodeJS.Timeout | undefined

  const handOver = () => {
    if (current.length === 0) return
    const minute = Math.floor(now() / MINUTE_MS)
    const rows = current.map((count) => takeRow(count, minute))
    current = []
    unnoted = new Map()
    // Nothing waits where the database answers: then there is nothing to add these to.
    if (batch === undefined && waiting.size === 0 && rows.length <= options.batchRows) {
      batch = { number: written + 1, rows }
      return
    }
    for (const row of rows) addRow(waiting, row)
    if (waiting.size <= options.waitingRows) return
    const together = new Map<string, UsageRow>()
    for (const row of waiting.values()) addRow(together, Object.assign(row, { minute }))
    waiting = together
    for (const { requests } of takeRows(waiting, waiting.size - options.waitingRows)) lost += requests
  }
  const writeBatches = async () => {
    try {
      while (batch !== undefined || waiting.size > 0) {
        batch ??= { number: written + 1, rows: takeRows(waiting, options.batchRows) }
        await write(batch)
        written = batch.number
        batch = undefined
      }
    } catch (error) {
      onError(error, lost)
      lost = 0
    }
    writing = undefined
  }
  const flush = () => {
    timer = undefined
    handOver()
    writing ??= writeBatches()
    void writing.then(() => {
      if (current.length > 0 || batch !== undefined || waiting.size > 0) startTimer()
    })
  }
  const startTimer = () => {
    timer ??= setTimeout(flush, options.flushMs).unref()
  }
  const deleting = setInterval(() => {
    deleteAll(deleteOld).catch((error: unknown) => onError(error, 0))
  }, options.deleteMs).unref()

  return {
    count(keyId, method, code, microseconds, notes) {
      const at = durationClass(microseconds / MICROSECONDS_PER_MILLISECOND)
      const first = notes === undefined ? unnoted.get(keyId) : (notes.usage as Count | undefined)
      let count = first
      while (
        count !== undefined &&
        !(count.durationClass === at && count.method === method && count.code === code)
      )
        count = count.next
      if (count === undefined) {
        count = new Count(withoutUnused(first), keyId, method, code, at)
        if (notes === undefined) unnoted.set(keyId, count)
        else notes.usage = count
      }
      if (count.requests === 0) {
        current.push(count)
        startTimer()
      }
      const whole = Math.round(microseconds)
      count.requests += 1
      count.microseconds += whole
      if (whole > count.slowestMicroseconds) count.slowestMicroseconds = whole
    },
    async close() {
      clearInterval(deleting)
      clearTimeout(timer)
      timer = undefined
      await writing
      handOver()
      await writeBatches()
    },
  }
}

/** Takes out what was counted, of this minute. */
function takeRow(count: Count, minute: number): UsageRow {
  const { keyId, method, code, durationClass, requests, microseconds, slowestMicroseconds } = count
  count.requests = 0
  count.microseconds = 0
  count.slowestMicroseconds = 0
  return {
    keyId,
    method,
    code,
    minute,
    durationClass,
    requests,
    microseconds,
    slowestMicroseconds,
    source: count,
  }
}

/** A list of counts, without those that are not in use where it has grown long: a key may be kept for months. */
function withoutUnused(first: Count | undefined): Count | undefined {
  let length = 0
  for (let each = first; each !== undefined; each = each.next) length += 1
  if (length < UNUSED_COUNTS) return first
  let used: Count | undefined
  for (let each = first; each !== undefined; ) {
    const { next } = each
    if (each.requests > 0) {
      each.next = used
      used = each
    }
    each = next
  }
  return used
}

async function deleteAll(deleteOld: () => Promise<boolean>): Promise<void> {
  while (await deleteOld());
}

/** Takes up to `count` rows out, the first first. */
function takeRows(rows: Map<string, UsageRow>, count: number): UsageRow[] {
  const taken: UsageRow[] = []
  for (const [name, row] of rows) {
    if (taken.length >= count) break
    rows.delete(name)
    taken.push(row)
  }
  return taken
}
