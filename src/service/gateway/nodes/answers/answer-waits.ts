import type { AnswerRoom } from '../answer-room.js'
import { answerPace } from './answer-pace.js'

/** A request whose answer waits in this process. */
interface WaitingRequest {
  readonly userId: string | undefined
  readonly hasEnded: boolean
  readonly whenEnded: Promise<void>
  readonly attempts: readonly unknown[]
  each(tell: (attempt: { readonly startedAt: number; expiresAt: number }) => void): void
}

/** Waits for memory, up to the longest time of an attempt. Returns false when none is reserved. */
export const roomFor = (bytes: number, room: AnswerRoom, request: WaitingRequest): Promise<boolean> =>
  paused(request, (patience) => room.wait(request.userId, bytes, patience, request.whenEnded))

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
