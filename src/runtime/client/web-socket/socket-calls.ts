import type { JsonValue } from '@concordat/rpc'
import { methodOf } from '../client-contract.js'
import { type CallOptions, type MiddlewareCall, positive } from '../client-options.js'
import { type Fault, transportFault } from '../fault.js'
import type { Endpoint } from '../http/endpoint.js'
import { errorFault } from '../http/error-fault.js'
import { type ReadResponse, readResponse } from '../http/read-response.js'
import { createPendingCall, failWith, type PendingCall } from '../pipeline/pending-call.js'
import { type SocketContract, socketDefaults } from './connect-options.js'

/** The member of call options with a function that receives the result before later messages are handled. */
const onResultKey = Symbol('result')

/** Returns call options with a function that receives the result before later messages are handled. */
export function withResult(options: CallOptions, onResult: (result: JsonValue) => void): CallOptions {
  return { ...options, [onResultKey]: onResult } as CallOptions
}

/** A call that is sent, or waits for a connection. */
interface Call {
  readonly pending: PendingCall
  readonly onResult: ((result: JsonValue) => void) | undefined
}

/** The calls of a client over its connections. */
export class SocketCalls {
  readonly #contract: SocketContract
  readonly #redact: Endpoint['redact']
  readonly #timeoutMilliseconds: number
  /** Sends a message; undefined while no connection is open. */
  #send: ((text: string) => void) | undefined
  #end: Fault | undefined
  readonly #waiting = new Set<Call>()
  readonly #sent = new Map<number, Call>()
  #lastId = 0

  /** @throws RangeError when the timeout is not greater than 0 */
  constructor(
    contract: SocketContract,
    redact: Endpoint['redact'],
    timeoutMilliseconds: number = socketDefaults.timeoutMilliseconds,
  ) {
    this.#contract = contract
    this.#redact = redact
    this.#timeoutMilliseconds = timeoutMilliseconds
    positive({ timeoutMilliseconds })
  }

  /** Sends a call, or lets it wait for a connection. Resolves to its result. */
  start({ method, params, options }: MiddlewareCall): Promise<unknown> {
    if (this.#end !== undefined) throw this.#end(method)
    const { timeoutMilliseconds = this.#timeoutMilliseconds, budgetMilliseconds = Infinity } = options
    positive({ timeoutMilliseconds, budgetMilliseconds })
    const milliseconds = Math.min(timeoutMilliseconds, budgetMilliseconds)
    const id = methodOf(this.#contract, method)?.notification ? undefined : ++this.#lastId
    const limit = { milliseconds, fault: lateFault }
    const pending = createPendingCall({ method, params, options }, id, this.#contract, limit)
    const call = { pending, onResult: Reflect.get(options, onResultKey) as Call['onResult'] }
    pending.onSettled = () => {
      this.#waiting.delete(call)
      if (id !== undefined && this.#sent.delete(id) && pending.requestFault !== undefined) this.#cancel(id)
    }
    this.#waiting.add(call)
    this.#flush()
    return pending.promise
  }

  /** Sends the waiting calls on a new connection. */
  opened(send: (text: string) => void): void {
    this.#send = send
    this.#flush()
  }

  /** Rejects all calls that were sent. */
  lost(fault: Fault): void {
    this.#send = undefined
    for (const { pending } of [...this.#sent.values()]) failWith(pending, fault)
  }

  /** Rejects all calls, and all later ones. */
  ended(fault: Fault): void {
    this.#end = fault
    for (const { pending } of [...this.#waiting]) failWith(pending, fault)
  }

  /** Takes a response (JSON-RPC 2.0, section 5). Responses to unknown calls are ignored. */
  receive(response: JsonValue): void {
    const read = readResponse(response, { missingVersion: 0, nullError: 0 })
    const call = this.#callOf(read)
    if (call === undefined) return
    const { pending, onResult } = call
    // An answered call is not cancelled, even if the answer is malformed.
    this.#sent.delete(pending.id ?? 0)
    if ('result' in read) {
      onResult?.(read.result)
      pending.resolve(read.result)
    } else if ('error' in read)
      pending.reject(errorFault(this.#contract, read.error, this.#redact)(pending.method))
    else
      failWith(pending, transportFault({ kind: 'malformed', message: `the server answered ${read.problem}` }))
  }

  /** Finds the call of a response. An error without id belongs to the call that is the only one. */
  #callOf({ id }: ReadResponse): Call | undefined {
    if (typeof id === 'number') return this.#sent.get(id)
    const [only, other] = this.#sent.values()
    return id === null && other === undefined ? only : undefined
  }

  /** Cancels a call that was sent, if the contract has a notification for it. */
  #cancel(id: number): void {
    const { cancel } = this.#contract
    if (cancel === undefined) return
    const isNamed = typeof cancel.id === 'string'
    const params = isNamed ? { [cancel.id]: id } : [...Array(cancel.id).fill(null), id]
    this.#send?.(JSON.stringify({ jsonrpc: '2.0', method: cancel.method, params }))
  }

  #flush(): void {
    if (this.#send === undefined) return
    for (const call of [...this.#waiting]) {
      const { id, text, resolve } = call.pending
      this.#waiting.delete(call)
      if (id !== undefined) this.#sent.set(id, call)
      this.#send(text)
      if (id === undefined) resolve(undefined)
    }
  }
}

const lateFault = (milliseconds: number) =>
  transportFault({ kind: 'timeout', message: `no answer within ${milliseconds} ms` })
