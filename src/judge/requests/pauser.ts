import { setTimeout as wait } from 'node:timers/promises'
import { Interrupted } from './interrupted.js'

/** Creates a pause function in milliseconds. A pause rejects with Interrupted when the run is stopped. */
export function pauser(signal: AbortSignal | undefined): (milliseconds: number) => Promise<void> {
  return async (milliseconds) => {
    try {
      await wait(milliseconds, undefined, signal === undefined ? {} : { signal })
    } catch (cause) {
      if (signal?.aborted === true) throw new Interrupted()
      throw cause
    }
  }
}
