import { NotSent } from '../send/exchange.js'
import { Interrupted } from './interrupted.js'

/** Returns why a case stopped sending requests. Returns undefined for all other errors. */
export function notRunReason(error: unknown): string | undefined {
  if (error instanceof NotSent) {
    return error.reason === 'budget' ? 'the budget is spent; --budget N sets it' : error.message
  }
  return error instanceof Interrupted ? error.message : undefined
}
