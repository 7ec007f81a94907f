import { OperatorError } from '../../gateway/store/operator-error.js'
import { UsageError } from '../io.js'

/** Times that a service is asked that does not answer its control socket. */
const ATTEMPTS = 4

/**
 * Asks a service again that was too busy to answer in time: a machine under load is no reason to end a long run.
 * @param work asks; it is begun anew, so that what an attempt left behind must not be in the way of the next one
 * @throws UsageError where no attempt was answered; whatever else `work` throws, at once
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
