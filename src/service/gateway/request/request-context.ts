import { limits } from '@concordat/node-access-contract/contract'
import type { HandlerCall } from '@concordat/rpc'
import type { AcceptedKey } from '../keys/index.js'
import type { SingleCaller } from '../methods/index.js'
import type { NodeTrace } from '../nodes/index.js'
import type { RequestNetwork } from './find-network.js'

/** The trace of a request. */
export interface RequestTrace extends NodeTrace {
  /** Ends the trace of an answered request. */
  end(report: RequestOutcome): void
}

/** The part of a report that a trace records. */
export interface RequestOutcome {
  readonly status: number | undefined
  readonly context: RequestContext | undefined
  readonly calls: readonly CallOutcome[]
}

/** The outcome of a call. */
export interface CallOutcome {
  readonly method: string | undefined
  readonly error: { readonly code: number } | undefined
  readonly ended: Promise<Pick<CallOutcome, 'error'>> | undefined
}

/** What the calls of a request share: an accepted key, used from an allowed client, and its network. */
export class RequestContext {
  readonly key: AcceptedKey
  readonly network: RequestNetwork
  /** The `Origin` of the page, when the key has a list of origins. */
  readonly origin: string | undefined
  readonly trace: RequestTrace | undefined
  /** True when the memory for all users was the reason of the last refusal of logs. */
  lacksMemory = false
  #logBytes = 0
  #nodeCalls: number[] | undefined = undefined

  constructor({ key, network, origin, trace }: Pick<RequestContext, 'key' | 'network' | 'origin' | 'trace'>) {
    this.key = key
    this.network = network
    this.origin = origin
    this.trace = trace
  }

  /** Number of calls that were sent to nodes for one call of the request, including repeated attempts. */
  nodeCallsOf(index: number): number {
    return this.#nodeCalls?.[index] ?? 0
  }

  countNodeCall(index: number): void {
    this.#nodeCalls ??= []
    this.#nodeCalls[index] = this.nodeCallsOf(index) + 1
  }

  /** Counts the bytes of logs that the request holds. See {@link SingleCaller.holdLogs}. */
  holdLogs(bytes: number, call: HandlerCall): boolean {
    const total = this.#logBytes + bytes
    if (total > limits.logsHeldBytes) return false
    this.lacksMemory = !call.reserve(bytes)
    if (this.lacksMemory) return false
    this.#logBytes = total
    return true
  }
}

/** The caller of one call, as the methods see it. */
export class MethodCaller implements SingleCaller {
  readonly #context: RequestContext
  readonly #call: HandlerCall

  constructor(context: RequestContext, call: HandlerCall) {
    this.#context = context
    this.#call = call
  }

  get userId(): string {
    return this.#context.key.userId
  }

  get request(): object {
    return this.#context
  }

  get trace(): NodeTrace | undefined {
    return this.#context.trace
  }

  get isDisconnected(): boolean {
    return this.#call.isDisconnected
  }

  get inBatch(): boolean {
    return this.#call.calls > 1
  }

  get lacksMemory(): boolean {
    return this.#context.lacksMemory
  }

  countNodeCall(): void {
    this.#context.countNodeCall(this.#call.index)
  }

  keepPlace(until: Promise<void>): void {
    this.#call.waitUntil(until)
  }

  onDisconnect(): AbortSignal {
    return this.#call.signal
  }

  holdLogs(bytes: number): boolean {
    return this.#context.holdLogs(bytes, this.#call)
  }
}
