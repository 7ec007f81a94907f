import type { PerKeyState } from '../keys/index.js'
import { type Batch, createBatchWriter } from '../store/index.js'

/** Rows kept in memory while the database is unavailable, with a few hundred bytes each. Further rows are lost. */
const MOST_ROWS = 100_000
/** Interval of the deletion of old usage, in milliseconds. */
const DELETE_MS = 60_000
const MINUTE_MS = 60_000
const MICROSECONDS_PER_MILLISECOND = 1_000

/**
 * Upper bounds of the duration classes, in milliseconds. Longer durations are in an additional last class. Counts by
 * class are stored for months, so bounds can only be added at the end.
 */
export const durationBounds = [
  0.25, 0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 20_000,
] as const

/** Returns the class of a value: the first whose upper bound it does not exceed, else the one after the last. */
export function classOf(bounds: readonly number[], value: number): number {
  let at = 0
  while (at < bounds.length && value > (bounds[at] as number)) at++
  return at
}

/**
 * Refused requests of a known key are counted with this prefix and the rule that refused them in place of a method. They
 * are neither calls nor requests of the key's user.
 */
export const refusedPrefix = 'refused:'

/** Returns what counts refused requests in place of a method. */
export const refusedMethod = (rule: string): string => `${refusedPrefix}${rule}`

/** The counts of one key, method and outcome in one minute. */
export interface UsageRow {
  readonly keyId: string
  /** The minute, as whole minutes since 1970. */
  readonly minute: number
  /** Name of a method of the contract; empty for a request without a valid method; `refusedPrefix` and a rule. */
  readonly method: string
  /** Code of the JSON-RPC error that was answered; 0 for a result. */
  readonly code: number
  requests: number
  /** Total latency of all requests. */
  microseconds: number
  slowestMicroseconds: number
  /** Requests by class of duration (`durationBounds`). */
  readonly durations: number[]
  /** Calls that were sent to nodes for all requests. */
  nodeCalls: number
  /** Requests that were not charged. */
  free: number
}

/** Usage by key, method and error code (specification 5.4). Counts accumulate in memory, so callers never wait. */
export interface Usage {
  /**
   * Counts a response.
   * @param method name of a method of the contract; empty for a request without a valid method; `refusedMethod`
   * @param code error code of the answer; 0 for a result
   * @param microseconds latency
   * @param nodeCalls calls that were sent to nodes for it
   * @param keyState state of the key, which caches its counts
   * @param isFree true if the request was not charged
   */
  count(
    keyId: string,
    method: string,
    code: number,
    microseconds: number,
    nodeCalls: number,
    keyState?: PerKeyState,
    isFree?: boolean,
  ): void
  /** Writes the counts of some keys, or of all, so that they can be read. Resolves after the attempt. */
  flush(keyIds?: readonly string[]): Promise<void>
  /** Writes all counts. */
  close(): Promise<void>
}

/** How usage is written and deleted. */
export interface UsageOptions {
  /** Writes a batch; called again with the same batch until it succeeds. */
  readonly write: (batch: Batch<UsageRow>) => Promise<void>
  /** Deletes usage after its retention period; true if more may be left. */
  readonly deleteOld: () => Promise<boolean>
  /** Receives the error of each failed write, and the number of responses not counted since the last error. */
  readonly onError: (error: unknown, lost: number) => void
  readonly usageFlushSeconds: number
  /** Clock, in milliseconds since 1970. */
  readonly now?: () => number
}

/** The counts of a key since the last write. The state of the key refers to this object. */
interface KeyCounts {
  /** Undefined once the rows are being written, because they must not change then. */
  rows: UsageRow[] | undefined
  readonly minute: number
}

/** Creates the usage of one process. */
export function createUsage({
  write,
  deleteOld,
  onError,
  usageFlushSeconds,
  now = Date.now,
}: UsageOptions): Usage {
  const flushMs = usageFlushSeconds * 1_000
  const counted = new Map<string, KeyCounts>()
  let rows = 0
  let lost = 0
  let timer: NodeJS.Timeout | undefined
  const reportError = (error: unknown) => {
    onError(error, lost)
    lost = 0
  }
  const writer = createBatchWriter<UsageRow>(write, reportError)

  const begin = (keyId: string, keyState: PerKeyState | undefined): KeyCounts => {
    const known = counted.get(keyId)
    const own = known ?? { rows: [], minute: Math.floor(now() / MINUTE_MS) }
    if (known === undefined) counted.set(keyId, own)
    if (keyState !== undefined) keyState.usage = own
    schedule()
    return own
  }
  const rowOf = (own: KeyCounts, keyId: string, method: string, code: number): UsageRow | undefined => {
    for (const row of own.rows ?? []) if (row.method === method && row.code === code) return row
    if (rows >= MOST_ROWS) return undefined
    rows += 1
    const row = newRow(keyId, own.minute, method, code)
    own.rows?.push(row)
    return row
  }
  /** Removes and returns the counts of some keys. */
  const take = (keyIds: Iterable<string>): UsageRow[] => {
    const taken: UsageRow[] = []
    for (const keyId of keyIds) {
      const own = counted.get(keyId)
      for (const row of own?.rows ?? []) taken.push(row)
      if (own !== undefined) own.rows = undefined
      counted.delete(keyId)
    }
    rows -= taken.length
    return taken
  }
  /** Schedules the next write at a multiple of the interval, so that rows written together belong to one minute. */
  function schedule(): void {
    timer ??= setTimeout(
      () => {
        timer = undefined
        // While the database is slow or unavailable, counts accumulate in memory.
        void writer.write(writer.isBusy() ? [] : take(counted.keys())).then(() => {
          if (lost > 0)
            reportError(new RangeError(`More than ${MOST_ROWS} rows of usage are waiting to be written`))
          if (counted.size > 0 || writer.isBusy()) schedule()
        })
      },
      flushMs - (now() % flushMs),
    ).unref()
  }
  const deleting = setInterval(() => {
    deleteAll(deleteOld).catch((error: unknown) => onError(error, 0))
  }, DELETE_MS).unref()

  return {
    count(keyId, method, code, microseconds, nodeCalls, keyState, isFree = false) {
      let own = keyState?.usage as KeyCounts | undefined
      if (own?.rows === undefined) own = begin(keyId, keyState)
      const row = rowOf(own, keyId, method, code)
      if (row === undefined) {
        lost += 1
        return
      }
      const whole = Math.round(microseconds)
      const at = classOf(durationBounds, microseconds / MICROSECONDS_PER_MILLISECOND)
      row.requests += 1
      row.microseconds += whole
      row.nodeCalls += nodeCalls
      if (isFree) row.free += 1
      row.durations[at] = (row.durations[at] ?? 0) + 1
      if (whole > row.slowestMicroseconds) row.slowestMicroseconds = whole
    },
    flush: (keyIds = [...counted.keys()]) => writer.write(take(keyIds)),
    async close() {
      clearInterval(deleting)
      clearTimeout(timer)
      await writer.write(take(counted.keys()))
      await writer.close()
    },
  }
}

const newRow = (keyId: string, minute: number, method: string, code: number): UsageRow => ({
  keyId,
  minute,
  method,
  code,
  requests: 0,
  microseconds: 0,
  slowestMicroseconds: 0,
  durations: new Array<number>(durationBounds.length + 1).fill(0),
  nodeCalls: 0,
  free: 0,
})

async function deleteAll(deleteOld: () => Promise<boolean>): Promise<void> {
  while (await deleteOld());
}
