import { QueryError } from '../store/connection.js'
import type { Lease, LeaseQuestion } from './lease-table.js'

/** A request that waits for a lease is refused after this time, in milliseconds. */
const LEASE_ANSWER_MS = 2_000
/** Statements under way at once. */
const STATEMENTS_AT_ONCE = 2
/**
 * Pause from one statement to the next, in milliseconds: questions that come meanwhile travel together. A statement
 * costs twenty times as much as one more question in it.
 */
const SPACING_MS = 10
/** Questions in one statement. */
const MOST_QUESTIONS = 200

/** Asks the database for leases. */
export interface LeaseSource {
  /** Asks for a lease of at least `wanted` requests. A count has at most one request for a lease at a time. */
  ask(question: LeaseQuestion): Promise<Lease>
}

interface Asker {
  readonly question: LeaseQuestion
  readonly resolve: (lease: Lease) => void
  readonly reject: (error: unknown) => void
  readonly tooLate: NodeJS.Timeout
  /** True after the caller gave up. */
  late: boolean
}

/**
 * Asks for leases at the end of the event loop's turn, together with all questions of that turn, or after the pause.
 * @param take asks the database
 * @param onLate gets a lease that came too late, which is never used
 * @throws QueryError where no lease comes in time, and any error of the database
 */
export function createLeaseSource(
  take: (questions: readonly LeaseQuestion[]) => Promise<readonly Lease[]>,
  onLate: (question: LeaseQuestion, lease: Lease) => void,
): LeaseSource {
  let waiting: Asker[] = []
  let underWay = 0
  let nextAt = 0
  let isScheduled = false

  const send = async (askers: readonly Asker[]): Promise<void> => {
    underWay += 1
    try {
      const leases = await take(askers.map(({ question }) => question))
      for (const [place, { question, late, tooLate, resolve }] of askers.entries()) {
        clearTimeout(tooLate)
        if (late) onLate(question, leases[place] as Lease)
        else resolve(leases[place] as Lease)
      }
    } catch (error) {
      for (const { tooLate, reject } of askers) {
        clearTimeout(tooLate)
        reject(error)
      }
    }
    underWay -= 1
    schedule()
  }
  const sendNext = () => {
    isScheduled = false
    if (underWay >= STATEMENTS_AT_ONCE) return
    waiting = waiting.filter(({ late }) => !late)
    if (waiting.length === 0) return
    nextAt = performance.now() + SPACING_MS
    void send(waiting.splice(0, MOST_QUESTIONS))
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
        const asker: Asker = {
          question,
          resolve,
          reject,
          late: false,
          tooLate: setTimeout(() => {
            asker.late = true
            const message = `The database gave no lease within ${LEASE_ANSWER_MS} ms`
            reject(new QueryError({ message, code: undefined, constraint: undefined }))
          }, LEASE_ANSWER_MS),
        }
        waiting.push(asker)
        schedule()
      }),
  }
}
