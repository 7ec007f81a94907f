import { NotSent } from '../send/exchange.js'
import { Interrupted, ServiceGone } from './interrupted.js'

/** Why a case sends no further request. A run gives up if the service stops answering; other reasons are the user's. */
export interface Unsent {
  readonly verdict: 'not-run' | 'gave-up'
  readonly reason: string
  /** Key that groups the cases of one cause; undefined for `not-run`. */
  readonly cause: string | undefined
}

/** Returns why a case stopped sending requests; undefined for all other errors. */
export function unsentBy(error: unknown): Unsent | undefined {
  if (error instanceof NotSent) {
    const reason = error.reason === 'budget' ? 'the budget is spent; --budget N sets it' : error.message
    return { verdict: 'not-run', reason, cause: undefined }
  }
  if (error instanceof ServiceGone) return { verdict: 'gave-up', reason: error.message, cause: 'gave up' }
  return error instanceof Interrupted
    ? { verdict: 'not-run', reason: error.message, cause: undefined }
    : undefined
}
