import { randomBytes } from 'node:crypto'
import { extensions, limits } from '@concordat/node-access-contract/contract'
import { failure } from '@concordat/node-access-contract/errors'
import { methods } from '@concordat/node-access-contract/methods'
import { type JsonValue, RawJson, RawJsonStream, RpcError } from '@concordat/rpc'
import {
  type CallResult,
  createCallReader,
  discoverMethod,
  type EdgeResponse,
  errorAnswer,
  type InvalidCall,
  type ItemAnswer,
  type ItemHandler,
  isSource,
  reportEnd,
  resultAnswer,
  resultText,
  type ValidCall,
} from '@concordat/server'
import { requireContractsAllowed } from '../keys/index.js'
import type { SingleCaller } from '../methods/index.js'
import type { NodeTrace } from '../nodes/index.js'
import type { WorkGate } from '../quota/index.js'
import { contractFailures } from './contract-failures.js'
import type { CallAnswer, Caller } from './handled-request.js'
import type { MemoryBudget, Resize } from './memory-budget.js'

const referenceBytes = 5

/**
 * Creates the step that answers one call: envelope, method, parameters, the key's lists, result, response.
 * @param document the contract as text, for `rpc.discover`
 */
export function createAnswerCall(document: Uint8Array): ItemHandler<CallContext, CallAnswer> {
  const reader = createCallReader({
    methods,
    envelope: extensions['x-envelope'],
    failures: contractFailures,
    hasDiscover: true,
  })
  const contract = new RawJson(document)

  function resultOf({ method: { name }, params }: ValidCall, context: ItemContext) {
    const { key, network } = context.caller
    if (name === discoverMethod.name) return contract
    requireContractsAllowed(key.access, name, params as readonly JsonValue[])
    return network.answer(name, params as readonly JsonValue[], context)
  }

  return {
    answer(item, rawId, context) {
      const call = reader.read(item, rawId, context.caller.key.access.methods)
      if (call.error !== undefined) return failed(call, context)
      const own = context.inBatch ? new BatchItemContext(context) : context
      const threw = (thrown: unknown) => failed({ ...call, error: asRpcError(thrown) }, own)
      try {
        const result = resultOf(call, own)
        if (!(result instanceof Promise)) return succeeded(call, result, own)
        return result.then((settled) => succeeded(call, settled, own)).catch(threw)
      } catch (thrown) {
        return threw(thrown)
      }
    },
    refuse: (item, rawId, error, context) => answered({ ...reader.identify(item, rawId), error }, context),
    fail: (error, context) => answered({ idText: 'null', method: undefined, error }, context),
  }
}

/**
 * Converts a thrown value to an error. An unexpected one becomes `handlerFailed`, with a reference that is
 * also in the log.
 */
export function asRpcError(thrown: unknown): RpcError {
  if (thrown instanceof RpcError) return thrown
  const reference = randomBytes(referenceBytes).toString('hex')
  return failure('handlerFailed', { data: { reference }, cause: thrown })
}

type Call = Pick<InvalidCall, 'idText' | 'method'>

function succeeded(call: ValidCall, result: CallResult, context: ItemContext): CallAnswer {
  if (result instanceof RawJsonStream) return streamed(call, result, context)
  return held(call, resultAnswer(call.idText, resultText(call.method, result)), context)
}

function failed(call: InvalidCall, context: ItemContext): CallAnswer {
  return held(call, errorAnswer(call.idText, call.error), context)
}

/** Reserves memory for a response until it is sent. Without memory it is replaced with an error. */
function held(call: Call, made: ItemAnswer, context: ItemContext): CallAnswer {
  const { text } = made
  const bytes = text === undefined || isSource(text) ? 0 : text.length
  if (context.holdAnswer(bytes)) return outcomeOf(call, made, context)
  const error = failure('overloaded', { cause: 'unsent large answers exceed the limit' })
  return answered({ ...call, error }, context)
}

function answered(call: InvalidCall, context: ItemContext): CallAnswer {
  return outcomeOf(call, errorAnswer(call.idText, call.error), context)
}

/** A streamed response can still fail after it has begun. */
function streamed(call: ValidCall, { source }: RawJsonStream, context: ItemContext): CallAnswer {
  let end: (failure?: { readonly reason: unknown }) => void = () => undefined
  const ended = new Promise<CallAnswer>((resolve) => {
    end = (failure) => {
      const error = failure && asRpcError(failure.reason)
      resolve(outcomeOf(call, { text: undefined, error }, context))
    }
  })
  const text = reportEnd(source, end)
  return { ...outcomeOf(call, resultAnswer(call.idText, text), context), ended }
}

function outcomeOf({ method }: Call, { text, error }: ItemAnswer, context: ItemContext): CallAnswer {
  const { startedAt, nodeCalls } = context
  return { text, error, method: method?.name, milliseconds: performance.now() - startedAt, nodeCalls }
}

/** An answer up to this size, in bytes, fits into the buffers of the operating system. */
export const smallAnswerBytes = 65_536

/** A response up to this size, in bytes, is always sent: an error would be about as large. */
const briefResponseBytes = 1_024

/** Counts the time until a call has started, in requests whose work is limited. */
export function countWork(calls: ItemHandler<CallContext, CallAnswer>): typeof calls {
  return {
    ...calls,
    answer(item, rawId, context) {
      if (context.gate === undefined) return calls.answer(item, rawId, context)
      const begunAt = performance.now()
      const answer = calls.answer(item, rawId, context)
      context.gate.worked(performance.now() - begunAt)
      return answer
    },
  }
}

/** What the steps of one call use. */
interface ItemContext extends SingleCaller {
  readonly caller: Caller
  /** When the body was complete, in milliseconds of `performance.now()`. */
  readonly startedAt: number
  /** Number of calls sent to nodes so far. */
  readonly nodeCalls: number
  /** Reserves memory for a response until the whole answer is sent; returns false when none is left. */
  holdAnswer(bytes: number): boolean
}

/** State shared by the calls of one request. A request with a single call counts its node calls here. */
export class CallContext implements ItemContext {
  readonly caller: Caller
  readonly trace: NodeTrace | undefined
  /** True when the request is a batch of several calls. */
  readonly inBatch: boolean
  readonly startedAt: number
  /** Limits the work of requests with a large body. */
  readonly gate: WorkGate | undefined
  nodeCalls = 0
  readonly #response: EdgeResponse
  readonly #budget: MemoryBudget
  #disconnect: AbortController | undefined = undefined
  lacksMemory = false
  #logBytes = 0
  #answerBytes = 0
  #resize: Resize | undefined = undefined
  #left: Promise<void>[] | undefined = undefined

  /** @param budget the memory for the logs and large answers of all users */
  constructor(
    caller: Caller,
    response: EdgeResponse,
    budget: MemoryBudget,
    facts: Pick<CallContext, 'trace' | 'inBatch' | 'startedAt' | 'gate'>,
  ) {
    this.caller = caller
    this.trace = facts.trace
    this.inBatch = facts.inBatch
    this.startedAt = facts.startedAt
    this.gate = facts.gate
    this.#response = response
    this.#budget = budget
  }

  get userId(): string {
    return this.caller.key.userId
  }

  get request(): object {
    return this
  }

  get isDisconnected(): boolean {
    return this.#response.destroyed && !this.#response.writableFinished
  }

  countNodeCall(): void {
    this.nodeCalls += 1
  }

  /** Resolves when nodes have answered the remaining calls of a disconnected caller; undefined without such calls. */
  get workLeft(): Promise<unknown> | undefined {
    return this.#left && Promise.all(this.#left)
  }

  keepPlace(until: Promise<void>): void {
    this.#left ??= []
    this.#left.push(until)
  }

  onDisconnect(): AbortSignal {
    if (this.#disconnect !== undefined) return this.#disconnect.signal
    const disconnect = new AbortController()
    this.#disconnect = disconnect
    if (this.#response.destroyed) disconnect.abort()
    this.#response.once('close', () => {
      if (!this.#response.writableFinished) disconnect.abort()
    })
    return disconnect.signal
  }

  holdLogs(bytes: number): boolean {
    const total = this.#logBytes + bytes
    const isGrowing = bytes > 0
    if (isGrowing && total > limits.logsHeldBytes) return false
    this.lacksMemory = !this.#reserve(Math.max(total, this.#answerBytes)) && isGrowing
    if (this.lacksMemory) return false
    this.#logBytes = total
    return true
  }

  holdAnswer(bytes: number): boolean {
    if (bytes <= briefResponseBytes) return true
    const total = this.#answerBytes + bytes
    if (!this.#reserve(Math.max(total, this.#logBytes))) return false
    this.#answerBytes = total
    return true
  }

  /**
   * Reserves memory until the answer is sent. Held logs become parts of the answer, so the larger of both sizes
   * counts.
   */
  #reserve(bytes: number): boolean {
    if (this.#resize !== undefined) return this.#resize(bytes)
    if (bytes <= smallAnswerBytes || this.#response.destroyed) return true
    this.#resize = this.#budget.reserve(this.userId, this.#response, bytes)
    return this.#resize !== undefined
  }
}

/** A call of a batch. Everything but the count of node calls is the request's. */
class BatchItemContext implements ItemContext {
  readonly inBatch = true
  nodeCalls = 0
  readonly request: CallContext

  constructor(request: CallContext) {
    this.request = request
  }

  get caller(): Caller {
    return this.request.caller
  }

  get trace(): NodeTrace | undefined {
    return this.request.trace
  }

  get startedAt(): number {
    return this.request.startedAt
  }

  get userId(): string {
    return this.request.userId
  }

  get isDisconnected(): boolean {
    return this.request.isDisconnected
  }

  countNodeCall(): void {
    this.nodeCalls += 1
  }

  keepPlace(until: Promise<void>): void {
    this.request.keepPlace(until)
  }

  onDisconnect(): AbortSignal {
    return this.request.onDisconnect()
  }

  holdLogs(bytes: number): boolean {
    return this.request.holdLogs(bytes)
  }

  holdAnswer(bytes: number): boolean {
    return this.request.holdAnswer(bytes)
  }
}
