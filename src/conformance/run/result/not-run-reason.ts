import { NotSent } from '../../send/exchange.js'
import { Interrupted } from '../answer/interrupted.js'

/** Why nothing more is sent for a case, where that is what an error says; undefined for every other error. */
export function notRunReason(error: unknown): string | undefined {
  if (error instanceof NotSent) {
    return error.reason === 'budget' ? 'the budget is spent; --budget N sets it' : error.message
  }
  return error instanceof Interrupted ? error.message : undefined
}
