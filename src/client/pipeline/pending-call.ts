import { type ClientContract, methodOf } from '../client-contract.js'
import { type MiddlewareCall, positive, type RetryOptions } from '../client-options.js'
import { type Fault, transportFault } from '../fault.js'
import type { WireParams } from '../wire-params.js'
import { whenAborted } from './when-aborted.js'

/** A call that is waiting for its answer. It settles once: later answers and failures have no effect. */
export interface PendingCall {
  readonly method: string
  /** Undefined for a method without a result. */
  readonly id: number | undefined
  /** The request object as JSON. */
  readonly text: string
  /** Milliseconds for each attempt. */
  readonly timeoutMilliseconds: number
  /** Time at which the budget ends, in milliseconds of `performance.now`. */
  readonly deadline: number
  readonly retry: false | RetryOptions | undefined
  readonly promise: Promise<unknown>
  /** HTTP requests that were sent for the call. */
  attempts: number
  isSettled: boolean
  /** The fault of the whole request, if the call failed with it. */
  requestFault: Fault | undefined
  /** Called when the call settles. */
  onSettled: (() => void) | undefined
  readonly resolve: (result: unknown) => void
  /** Rejects the call. `requestFault` is the fault of the whole request, if it failed with one. */
  readonly reject: (error: unknown, requestFault?: Fault) => void
}

/** What a pending call takes from its client. */
export interface CallSettings {
  readonly contract: ClientContract
  readonly timeoutMilliseconds: number
  readonly budgetMilliseconds: number
  readonly retry: false | RetryOptions | undefined
}

/** Maximum delay of a timer in milliseconds. Longer delays would fire immediately. */
export const longestTimer = 2 ** 31 - 1

/**
 * Encodes a call and starts its budget.
 * @param call the call
 * @param id its id, if its method has a result
 * @param settings the options of the client
 * @throws TypeError that names the parameter that JSON does not support, such as a BigInt
 * @throws RangeError when a time is not greater than 0
 * @throws the reason of an aborted signal
 */
export function createPendingCall(
  { method, params, options }: MiddlewareCall,
  id: number | undefined,
  settings: CallSettings,
): PendingCall {
  const { signal, timeoutMilliseconds = settings.timeoutMilliseconds } = options
  const { budgetMilliseconds: budget = settings.budgetMilliseconds, retry = settings.retry } = options
  signal?.throwIfAborted()
  let resolve: PendingCall['resolve'] = () => {}
  let reject: PendingCall['reject'] = () => {}
  const promise = new Promise<unknown>((...functions) => {
    ;[resolve, reject] = functions
  })
  const settle = (finish: () => void) => {
    if (call.isSettled) return
    call.isSettled = true
    clearTimeout(timer)
    forget?.()
    finish()
    call.onSettled?.()
  }
  const call: PendingCall = {
    method,
    id,
    text: encoded(method, params, id, settings.contract),
    timeoutMilliseconds: positive('timeoutMilliseconds', timeoutMilliseconds),
    deadline: performance.now() + positive('budgetMilliseconds', budget),
    retry,
    promise,
    attempts: 0,
    isSettled: false,
    requestFault: undefined,
    onSettled: undefined,
    resolve: (result) => settle(() => resolve(result)),
    reject: (error, requestFault) =>
      settle(() => {
        call.requestFault = requestFault
        reject(error)
      }),
  }
  const forget = signal && whenAborted(signal, () => failWith(call, () => signal.reason))
  const late = transportFault({ kind: 'timeout', message: `no result within the budget of ${budget} ms.` })
  const timer = budget <= longestTimer ? setTimeout(failWith, budget, call, late) : undefined
  return call
}

/** Rejects a call with the fault of a whole request. */
export function failWith(call: PendingCall, fault: Fault): void {
  call.reject(fault(call.method), fault)
}

/** Encodes a request object (JSON-RPC 2.0, section 4). Notifications have no id. */
function encoded(
  method: string,
  params: WireParams,
  id: number | undefined,
  contract: ClientContract,
): string {
  try {
    return JSON.stringify({ jsonrpc: '2.0', id, method, params })
  } catch (error) {
    const known = methodOf(contract, method)?.params
    for (const [key, value] of Object.entries(params)) {
      const param = Array.isArray(params) ? (known?.[Number(key)] ?? Number(key)) : key
      try {
        JSON.stringify(value)
      } catch (cause) {
        const name = JSON.stringify(typeof param === 'object' ? param[0] : param)
        const [reason] = String((cause as Error).message).split('\n')
        throw new TypeError(
          `${method}: the parameter ${name} cannot be encoded as JSON (${reason}). Convert it, for example to a string.`,
        )
      }
    }
    throw error
  }
}
