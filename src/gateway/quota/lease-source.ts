import { QueryError } from '../store/connection.js'
import type { Lease, LeaseQuestion } from './lease-table.js'

/** In milliseconds; a request that waits for a lease is refused after it. */
const LEASE_ANSWER_MS = 2_000
/** Statements on their way to the database at once; who asks meanwhile travels with the next. */
const STATEMENTS_AT_ONCE = 2
/** From one statement to the next, in milliseconds: a statement costs twenty times what one more question in it does. */
const SPACING_MS = 5
/** Questions in one statement. */
const MOST_QUESTIONS = 200
/** Time for which those who ask ahead wait for others to travel with, in milliseconds. */
const PATIENCE_MS = 50

/** Asks the database for leases. */
export interface LeaseSource {
  /** Asks for a lease of at least `wanted` requests, for which somebody waits. */
  ask(question: LeaseQuestion): Promise<Lease>
  /** Asks for a lease for which nobody waits yet. */
  askAhead(question: LeaseQuestion): Promise<Lease>
  /** Somebody waits for what was asked ahead. */
  hurry(): void
}

interface Asker {
  readonly question: LeaseQuestion
  resolve(lease: Lease): void
  reject(error: unknown): void
  /** True once nobody waits for the answer any more. */
  late: boolean
}

/**
 * Asks for leases: after a pause at the end of the loop's turn, together with all who ask in it, else together with all
 * who have asked meanwhile. A lease that comes too late is never used: `onLate` is told, so that it goes back. Nobody
 * asks twice for the same count at the same time. Who asks ahead waits a while for others, and goes with the first that do not.
 * @param take asks the database
 * @throws whatever kept the database from answering
 */
export function createLeaseSource(
  take: (questions: readonly LeaseQuestion[]) => Promise<readonly Lease[]>,
  onLate: (question: LeaseQuestion, lease: Lease) => void,
): LeaseSource {
  let waiting: Asker[] = []
  let ahead: Asker[] = []
  let patience: NodeJS.Timeout | undefined
  let underWay = 0
  let nextAt = 0
  let spacing: NodeJS.Timeout | undefined
  let isTurnEnding = false

  const send = async (askers: readonly Asker[]): Promise<void> => {
    underWay += 1
    try {
      const leases = await take(askers.map(({ question }) => question))
      askers.forEach((asker, place) => {
        const lease = leases[place] as Lease
        if (asker.late) onLate(asker.question, lease)
        else asker.resolve(lease)
      })
    } catch (error) {
      for (const asker of askers) asker.reject(error)
    }
    underWay -= 1
    sendMore()
  }
  const sendMore = () => {
    if (underWay >= STATEMENTS_AT_ONCE || spacing !== undefined) return
    // Once for all who have given up: nobody is looked for among thousands.
    if (waiting[0]?.late) waiting = waiting.filter(({ late }) => !late)
    if (waiting.length === 0) return
    const now = performance.now()
    if (now < nextAt) {
      spacing = setTimeout(() => {
        spacing = undefined
        sendMore()
      }, nextAt - now)
      return
    }
    nextAt = now + SPACING_MS
    const askers = waiting.slice(0, MOST_QUESTIONS)
    waiting = waiting.slice(MOST_QUESTIONS)
    void send(askers)
    sendMore()
  }
  const atEndOfTurn = () => {
    if (isTurnEnding || spacing !== undefined) return
    isTurnEnding = true
    setImmediate(() => {
      isTurnEnding = false
      sendMore()
    })
  }
  /** Those who have asked ahead travel with the others, behind them. */
  const joinAhead = () => {
    clearTimeout(patience)
    patience = undefined
    for (const asker of ahead) waiting.push(asker)
    ahead = []
  }
  const beginToAsk = (question: LeaseQuestion, askers: Asker[]): Promise<Lease> =>
    new Promise((resolve, reject) => {
      const tooLate = setTimeout(() => {
        asker.late = true
        const message = `The database gave no lease within ${LEASE_ANSWER_MS} ms`
        reject(new QueryError({ message, code: undefined, constraint: undefined }))
      }, LEASE_ANSWER_MS)
      const asker: Asker = {
        question,
        late: false,
        resolve(lease) {
          clearTimeout(tooLate)
          resolve(lease)
        },
        reject(error) {
          clearTimeout(tooLate)
          reject(error)
        },
      }
      askers.push(asker)
    })
  return {
    ask(question) {
      const lease = beginToAsk(question, waiting)
      joinAhead()
      atEndOfTurn()
      return lease
    },
    askAhead(question) {
      patience ??= setTimeout(() => {
        joinAhead()
        sendMore()
      }, PATIENCE_MS)
      return beginToAsk(question, ahead)
    },
    hurry() {
      joinAhead()
      atEndOfTurn()
    },
  }
}
