import { durationBounds, durationClass } from '../duration-classes.js'
import type { KeyNotes } from '../key-notes.js'
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

const nothing: UsageRow[] = []

/** What was counted of a key since it was handed over: a row for each method and outcome, which are few. */
interface OfKey {
  /** The hand-over that it was counted for. */
  turn: number
  rows: UsageRow[]
}

/** Creates the usage of one process. */
export function createUsage({ write, deleteOld, onError, now = Date.now }: UsageOptions): Usage {
  /** What was counted since the last hand-over, and of which keys that have no notes. */
  let current: OfKey[] = []
  let unnoted = new Map<string, OfKey>()
  let turn = 0
  let waiting = new Map<string, UsageRow>()
  let batch: UsageBatch | undefined
  let written = 0
  let lost = 0
  let writing: Promise<void> | undefined
  let timer: NodeJS.Timeout | undefined

  const handOver = () => {
    if (current.length === 0) return
    const minute = Math.floor(now() / MINUTE_MS)
    const rows: UsageRow[] = []
    for (const ofKey of current) {
      for (const row of ofKey.rows) {
        row.minute = minute
        rows.push(row)
      }
      // Kept on a key that may not be used again for long.
      ofKey.rows = nothing
    }
    current = []
    unnoted = new Map()
    turn += 1
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
  const ofKey = (keyId: string, notes: KeyNotes | undefined): OfKey => {
    const known = notes === undefined ? unnoted.get(keyId) : (notes.usage as OfKey | undefined)
    if (known?.turn === turn) return known
    const found = known ?? { turn, rows: [] }
    if (notes === undefined) unnoted.set(keyId, found)
    else notes.usage = found
    if (known !== undefined) {
      // The rows of before are not ours any more.
      known.rows = []
      known.turn = turn
    }
    current.push(found)
    startTimer()
    return found
  }
  const startTimer = () => {
    timer ??= setTimeout(flush, options.flushMs).unref()
  }
  const deleting = setInterval(() => {
    deleteAll(deleteOld).catch((error: unknown) => onError(error, 0))
  }, options.deleteMs).unref()

  return {
    count(keyId, method, code, microseconds, notes) {
      const { rows } = ofKey(keyId, notes)
      let row = rows.find((one) => one.method === method && one.code === code)
      if (row === undefined) {
        row = newRow(keyId, method, code)
        rows.push(row)
      }
      row.requests += 1
      const at = durationClass(microseconds / MICROSECONDS_PER_MILLISECOND)
      row.durations[at] = (row.durations[at] as number) + 1
      row.microseconds += microseconds
      if (microseconds > row.slowestMicroseconds) row.slowestMicroseconds = microseconds
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

/** A row that counts nothing yet. */
const newRow = (keyId: string, method: string, code: number): UsageRow => ({
  keyId,
  method,
  code,
  minute: 0,
  requests: 0,
  microseconds: 0,
  slowestMicroseconds: 0,
  durations: new Array<number>(durationBounds.length + 1).fill(0),
})

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
