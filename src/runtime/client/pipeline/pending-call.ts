import { type ClientContract, paramAt } from '../client-contract.js'
import type { MiddlewareCall } from '../client-options.js'
import type { Fault } from '../fault.js'
import { jsonProblem } from '../json-problem.js'
import type { WireParams } from '../wire-params.js'
import { whenAborted } from './when-aborted.js'

/** A call that is waiting for its answer. It settles once: later answers and failures have no effect. */
export interface PendingCall {
  readonly method: string
  /** Undefined for a method without a result. */
  readonly id: number | undefined
  /** The request object as JSON. */
  readonly text: string
  readonly promise: Promise<unknown>
  isSettled: boolean
  /** The fault of the whole request, if the call failed with it. */
  requestFault?: Fault
  /** Called when the call settles. */
  onSettled?: () => void
  readonly resolve: (result: unknown) => void
  readonly reject: (error: unknown) => void
}

/** The time that a call has. */
export interface TimeLimit {
  readonly milliseconds: number
  /** Creates the fault of a call that did not settle in this time. */
  readonly fault: (milliseconds: number) => Fault
}

/** Maximum delay of a timer in milliseconds. Longer delays would fire immediately. */
export const longestTimer = 2_147_483_647

/**
 * Encodes a call and starts its time.
 * @param call the call
 * @param id its id, if its method has a result
 * @param contract the contract
 * @param limit the time of the call
 * @throws TypeError that names the parameter that JSON does not support, such as a BigInt or NaN
 * @throws the reason of an aborted signal
 */
export function createPendingCall(
  { method, params, options: { signal } }: MiddlewareCall,
  id: number | undefined,
  contract: ClientContract,
  { milliseconds, fault }: TimeLimit,
): PendingCall {
  signal?.throwIfAborted()
  const call = {
    method,
    id,
    text: encoded(method, params, id, contract),
    isSettled: false,
  } as Writable<PendingCall>
  const settle = (finish: (value: unknown) => void, value: unknown) => {
    if (call.isSettled) return
    call.isSettled = true
    clearTimeout(timer)
    forget?.()
    finish(value)
    call.onSettled?.()
  }
  call.promise = new Promise((resolve, reject) => {
    call.resolve = (result) => settle(resolve, result)
    call.reject = (error) => settle(reject, error)
  })
  const forget = signal && whenAborted(signal, () => failWith(call, () => signal.reason))
  const late = () => failWith(call, fault(milliseconds))
  const timer = milliseconds <= longestTimer ? setTimeout(late, milliseconds) : undefined
  return call
}

type Writable<Type> = { -readonly [Key in keyof Type]: Type[Key] }

/** Rejects a call with the fault of a whole request. */
export function failWith(call: PendingCall, fault: Fault): void {
  if (call.isSettled) return
  call.requestFault = fault
  call.reject(fault(call.method))
}

/** Encodes a request object (JSON-RPC 2.0, section 4). Notifications have no id. */
function encoded(
  method: string,
  params: WireParams,
  id: number | undefined,
  contract: ClientContract,
): string {
  let text = ''
  const problemOf = (value: unknown): string | undefined => {
    try {
      text = JSON.stringify(value)
      return jsonProblem(value)
    } catch (error) {
      return String((error as Error).message).split('\n')[0]
    }
  }
  if (!problemOf({ jsonrpc: '2.0', id, method, params })) return text
  const isList = Array.isArray(params)
  const [key = '', value] =
    Object.entries(params).find(([, value]) => (isList || value !== undefined) && problemOf(value)) ?? []
  throw new TypeError(
    `${method}: the parameter "${paramAt(contract, method, key)}" cannot be encoded as JSON (${problemOf(value)}). Convert it, for example to a string.`,
  )
}
