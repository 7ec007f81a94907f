import { QueryError } from '../store/index.js'
import type { Lease, LeaseQuestion } from './lease-statements.js'

/** Default timeout of a lease request, in milliseconds. */
const LEASE_TIMEOUT_MS = 2_000
const CONCURRENT_STATEMENTS = 2
/**
 * Pause between statements, in milliseconds, during which lease requests are batched. A statement costs twenty times as
 * much as an additional request in it.
 */
const SPACING_MS = 10
/** Lease requests in one statement. */
const REQUESTS_PER_STATEMENT = 200

/** Asks the database for leases. */
export interface LeaseSource {
  /** Requests a lease. A count must have at most one lease request at a time. */
  ask(question: LeaseQuestion): Promise<Lease>
}

interface PendingRequest {
  readonly question: LeaseQuestion
  readonly resolve: (lease: Lease) => void
  readonly reject: (error: unknown) => void
  readonly timeout: NodeJS.Timeout
  /** True after the timeout. */
  isLate: boolean
}

/**
 * Creates a lease source that batches all requests of an event-loop turn. Requests reject with QueryError after the
 * timeout, and with errors of the database.
 * @param take queries the database
 * @param onLate receives leases that arrived after the timeout, which are never used
 * @param timeoutMs timeout of a lease request, in milliseconds
 */
export function createLeaseSource(
  take: (questions: readonly LeaseQuestion[]) => Promise<readonly Lease[]>,
  onLate: (question: LeaseQuestion, lease: Lease) => void,
  timeoutMs = LEASE_TIMEOUT_MS,
): LeaseSource {
  let waiting: PendingRequest[] = []
  let running = 0
  let nextAt = 0
  let isScheduled = false

  const send = async (requests: readonly PendingRequest[]): Promise<void> => {
    running += 1
    try {
      const leases = await take(requests.map(({ question }) => question))
      for (const [place, { question, isLate, timeout, resolve }] of requests.entries()) {
        clearTimeout(timeout)
        if (isLate) onLate(question, leases[place] as Lease)
        else resolve(leases[place] as Lease)
      }
    } catch (error) {
      for (const { timeout, reject } of requests) {
        clearTimeout(timeout)
        reject(error)
      }
    }
    running -= 1
    schedule()
  }
  const sendNext = () => {
    isScheduled = false
    if (running >= CONCURRENT_STATEMENTS) return
    waiting = waiting.filter(({ isLate }) => !isLate)
    if (waiting.length === 0) return
    nextAt = performance.now() + SPACING_MS
    void send(waiting.splice(0, REQUESTS_PER_STATEMENT))
    schedule()
  }
  function schedule(): void {
    if (isScheduled || waiting.length === 0) return
    isScheduled = true
    const pause = nextAt - performance.now()
    if (pause > 0) setTimeout(sendNext, pause)
    else setImmediate(sendNext)
  }
  return {
    ask: (question) =>
      new Promise((resolve, reject) => {
        const request: PendingRequest = {
          question,
          resolve,
          reject,
          isLate: false,
          timeout: setTimeout(() => {
            request.isLate = true
            const message = `The database granted no lease within ${timeoutMs} ms`
            reject(new QueryError({ message, code: undefined, constraint: undefined }))
          }, timeoutMs),
        }
        waiting.push(request)
        schedule()
      }),
  }
}
