import type { CallOptions, Next } from '../client-options.js'
import type { WireParams } from '../wire-params.js'
import type { AttemptedCall } from './attempted-call.js'

/** The outcome of one call, as in `Promise.allSettled`. */
export type Outcome<Result, Reason = unknown> =
  | { readonly status: 'fulfilled'; readonly value: Result }
  | { readonly status: 'rejected'; readonly reason: Reason }

/** Puts a call into its batch, and returns it. */
type Join = (start: () => AttemptedCall) => AttemptedCall

/** The member of call options that leads a call through the layers to its batch. */
const joinKey = Symbol('batch')

/** Returns the function that puts a call into its explicit batch. Undefined for other calls. */
export function batchOf(options: CallOptions): Join | undefined {
  return (options as { readonly [joinKey]?: () => Join | undefined })[joinKey]?.()
}

/**
 * Sends calls through the layers of a client and then together. The batch is sent when each call has passed
 * the layers, or was answered by one of them.
 * @param items the calls
 * @param options options of the batch
 * @param call the layers
 * @param send sends the calls that arrived
 * @returns the outcome of each call
 * @throws the error of the whole batch, if all its calls failed with their HTTP request
 * @throws TypeError when a call cannot be encoded. Nothing is sent.
 */
export async function sendBatch(
  items: readonly { readonly method: string; readonly params: WireParams }[],
  options: CallOptions,
  call: Next,
  send: (calls: readonly AttemptedCall[]) => void,
): Promise<readonly Outcome<unknown>[]> {
  const arrived: AttemptedCall[] = []
  const problems: unknown[] = []
  let left = items.length
  const count = () => {
    left -= 1
    if (left > 0) return
    if (problems.length === 0) send(arrived)
    else for (const pending of arrived) pending.reject(problems[0])
  }
  const outcomes = await Promise.allSettled(
    items.map(async (item) => {
      let isCounted = false
      const countOnce = () => {
        if (!isCounted) count()
        isCounted = true
      }
      const join: Join = (start) => {
        try {
          const pending = start()
          arrived.push(pending)
          return pending
        } catch (error) {
          problems.push(error)
          throw error
        } finally {
          countOnce()
        }
      }
      // A layer that repeats the call sends it alone, because the batch has left.
      const own = { ...options, [joinKey]: () => (isCounted ? undefined : join) }
      try {
        return await call({ ...item, options: own })
      } finally {
        countOnce()
      }
    }),
  )
  if (problems.length > 0) throw problems[0]
  const faults = arrived.flatMap(({ requestFault }) => requestFault ?? [])
  const [fault] = faults
  const isWhole = faults.length === items.length && outcomes.every(({ status }) => status === 'rejected')
  if (fault && isWhole) throw fault(undefined)
  return outcomes
}
