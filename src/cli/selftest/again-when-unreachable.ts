import { OperatorError } from '@concordat/gateway'
import { UsageError } from '../io.js'

/** Number of attempts if the service does not answer its control socket. */
const ATTEMPTS = 4

/**
 * Repeats work while the service is too busy to answer, as on a loaded machine.
 * @param work is run again from the start, and must tolerate an incomplete earlier attempt
 * @throws UsageError when no attempt is answered; other errors of `work` immediately
 */
export async function againWhenUnreachable<Value>(work: () => Promise<Value>): Promise<Value> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (cause) {
      if (!(cause instanceof OperatorError) || cause.code !== 'service_unreachable') throw cause
      if (attempt === ATTEMPTS) throw new UsageError(cause.message, { cause })
    }
  }
}
