import type { RpcError } from '@concordat/rpc'
import type { Outcome, RequestEvent } from '../request/index.js'
import { type Batch, createBatchWriter, newId } from '../store/index.js'
import { hideTransactions } from './hide-transactions.js'
import { type SentParams, sentParams } from './sent-params.js'

/** Entries in memory while the database is slow or unavailable, with at most about 4 KB each. Further ones are lost. */
const MOST_WAITING = 2_000
const MINUTE_MS = 60_000
/** Maximum length of a message, in characters. Nodes may send long messages that repeat the request. */
const MESSAGE_CHARACTERS = 500

/** A call of a key that failed, or a request that was refused although its key is known. */
export interface FailureEntry {
  readonly id: string
  readonly keyId: string
  /** When the answer was ready, in milliseconds since 1970. */
  readonly at: number
  /** True for a refused request; false for a failed call. */
  readonly isRefused: boolean
  /** Name of a method of the contract; empty for others. For a refused request, the rule of its key that refused it. */
  readonly method: string
  readonly code: number
  readonly message: string
  /** Name of the failure in the contract (`x-failures`); undefined for other errors. */
  readonly failure: string | undefined
  /** The id that the answer had, and that is in the service's log. */
  readonly requestId: string
  /** Latency. */
  readonly milliseconds: number
  /** Undefined for refused requests, unknown methods, and without parameters. */
  readonly params: SentParams | undefined
}

/** The contract's bounds of the log of failures. */
export interface FailureLimits {
  readonly failureLogHours: number
  readonly failuresPerKey: number
  readonly failuresPerKeyPerMinute: number
  readonly refusalsPerKey: number
  readonly refusalsPerKeyPerMinute: number
  readonly failureParamsBytes: number
}

/** The log of failures of each key, as one process writes it. */
export interface FailureLog {
  /** Notes the failed calls of a request, and a refusal by a rule of its key. Callers never wait. */
  note(event: RequestEvent): void
  /** Writes all entries of this process, so that they can be read. Resolves after the attempt. */
  flush(): Promise<void>
  /** Writes all entries. */
  close(): Promise<void>
}

/** How the log is written. */
export interface FailureLogOptions {
  readonly limits: FailureLimits
  /** Writes a batch; called again with the same batch until it succeeds. */
  readonly write: (batch: Batch<FailureEntry>) => Promise<void>
  readonly onError: (error: unknown) => void
  /** Seconds between writes. */
  readonly flushSeconds: number
  /** Clock, in milliseconds since 1970. */
  readonly now?: () => number
}

/** What a key has noted in the current minute. */
class Noted {
  failed = 0
  refused = 0
  /** The kinds of failures: method and code, or the rule of a refusal. */
  readonly kinds = new Set<string>()
}

/**
 * Creates the log of one process. It notes the first failures of each minute up to the contract's bound, then one of each
 * further kind, so that a frequent failure does not hide a rare one. The database keeps the bounds over all processes.
 */
export function createFailureLog({
  limits,
  write,
  onError,
  flushSeconds,
  now = Date.now,
}: FailureLogOptions): FailureLog {
  const { failuresPerKeyPerMinute, refusalsPerKeyPerMinute, failureParamsBytes } = limits
  const writer = createBatchWriter<FailureEntry>(write, onError)
  const byKey = new Map<string, Noted>()
  let minute = 0
  let waiting: FailureEntry[] = []
  let timer: NodeJS.Timeout | undefined

  function isAdmitted(keyId: string, kind: string, isRefused: boolean): boolean {
    if (waiting.length >= MOST_WAITING) return false
    const current = Math.floor(now() / MINUTE_MS)
    if (current !== minute) byKey.clear()
    minute = current
    const noted = byKey.get(keyId) ?? new Noted()
    byKey.set(keyId, noted)
    const isNew = !noted.kinds.has(kind)
    const hasRoom = isRefused
      ? noted.refused < refusalsPerKeyPerMinute
      : noted.failed < failuresPerKeyPerMinute
    if (!hasRoom && !isNew) return false
    noted.kinds.add(kind)
    if (isRefused) noted.refused += 1
    else noted.failed += 1
    return true
  }

  function add(entry: Omit<FailureEntry, 'id' | 'at'>): void {
    waiting.push({ id: newId('fail'), at: now(), ...entry })
    schedule()
  }

  function schedule(): void {
    timer ??= setTimeout(() => {
      timer = undefined
      void writeWaiting().then(() => {
        if (waiting.length > 0 || writer.isBusy()) schedule()
      })
    }, flushSeconds * 1_000).unref()
  }

  function noteCall(
    keyId: string,
    { method, params, error, milliseconds }: Outcome,
    event: RequestEvent,
  ): void {
    if (error === undefined || !isAdmitted(keyId, `${method} ${error.code}`, false)) return
    add({
      ...factsOf(error, event),
      keyId,
      isRefused: false,
      method: method ?? '',
      milliseconds,
      params: method === undefined ? undefined : sentParams(method, params, failureParamsBytes),
    })
  }

  function take(): FailureEntry[] {
    const entries = waiting
    waiting = []
    return entries
  }

  async function writeWaiting(): Promise<void> {
    if (writer.isBusy()) {
      // The batch that failed is tried again; the others stay here, where their number is bounded.
      await writer.write([])
      if (writer.isBusy()) return
    }
    await writer.write(take())
  }

  return {
    note(event) {
      const { keyRefusal } = event
      const { refusal } = event.report
      if (refusal !== undefined && keyRefusal !== undefined) {
        const { keyId, rule } = keyRefusal
        if (isAdmitted(keyId, rule, true))
          add({
            ...factsOf(refusal, event),
            keyId,
            isRefused: true,
            method: rule,
            milliseconds: 0,
            params: undefined,
          })
      }
      if (event.mayFail) event.eachOutcome((outcome, { key }) => noteCall(key.id, outcome, event))
    },
    flush: writeWaiting,
    async close() {
      clearTimeout(timer)
      await writer.write(take())
      await writer.close()
    },
  }
}

/** Replaces signed transactions in the message, and NUL characters, which the database does not accept. */
const factsOf = ({ code, message, failure }: RpcError, { id }: RequestEvent) => ({
  code,
  failure,
  message: hideTransactions(message, MESSAGE_CHARACTERS)
    .text.slice(0, MESSAGE_CHARACTERS)
    .replaceAll('\0', '\uFFFD'),
  requestId: id,
})
