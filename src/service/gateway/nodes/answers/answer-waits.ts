import { createMemoryLimiter, type FairLimiter, type Holder, type LeaveSignal } from '@concordat/server'
import { answerPace } from './answer-pace.js'

/** A request whose answer waits in this process. */
interface WaitingRequest {
  readonly userId: string | undefined
  readonly hasEnded: boolean
  readonly whenEnded: Promise<void>
  readonly attempts: readonly unknown[]
  each(tell: (attempt: { readonly startedAt: number; expiresAt: number }) => void): void
}

/** The key of calls that the service makes for itself. */
export const serviceKey = ''

/**
 * Creates the limiter of memory for large answers while they are read from the nodes of all networks, until they are
 * handed over.
 * @param bytes all answers together
 */
export const createAnswerRoom = (bytes: number): FairLimiter => createMemoryLimiter(bytes, serviceKey)

/**
 * Waits for memory, up to the longest time of an attempt, without holding any, so that no two answers wait for each
 * other. Returns false when none is reserved.
 */
export const roomFor = (
  bytes: number,
  room: FairLimiter,
  user: Holder,
  request: WaitingRequest,
): Promise<boolean> =>
  paused(request, async (milliseconds) => {
    const end = await room.wait(user, { units: bytes, milliseconds, signal: endOf(request) })
    return end === 'taken'
  })

/** Returns the signal that fires when the node has answered, or the connection was closed. */
const endOf = (request: WaitingRequest): LeaveSignal => ({
  get aborted() {
    return request.hasEnded
  },
  addEventListener(_type, listener) {
    request.whenEnded.then(listener)
  },
  removeEventListener: () => undefined,
})

/** Counts bytes of a large answer, and waits until more may be read. Batches, of small calls of several users, do not. */
export async function turnFor(bytes: number, request: WaitingRequest): Promise<void> {
  const { attempts, userId } = request
  if (attempts.length > 1) return
  answerPace.worked(userId, performance.now(), bytes)
  const turn = answerPace.turn(userId, request)
  if (turn !== undefined) await paused(request, () => turn)
}

/**
 * Waits for something in this process. Meanwhile the node waits, too, and its deadline stops.
 * @param wait receives the longest time of the attempts, in milliseconds
 */
async function paused<T>(request: WaitingRequest, wait: (patience: number) => Promise<T>): Promise<T> {
  const now = performance.now()
  let patience = 0
  request.each((attempt) => {
    patience = Math.max(patience, attempt.expiresAt - attempt.startedAt)
    attempt.expiresAt = Number.POSITIVE_INFINITY
  })
  const done = await wait(patience)
  const waited = performance.now() - now
  request.each((attempt) => {
    attempt.expiresAt = attempt.startedAt + patience + waited
  })
  return done
}
