import { limits } from '@concordat/node-access-contract/contract'
import { failure } from '@concordat/node-access-contract/errors'
import { RpcError } from '@concordat/rpc'
import {
  type Admission,
  type Answer,
  type AnswerMessage,
  type Body,
  billedItems,
  createAnswerMessage,
  type EdgeRequest,
  type EdgeResponse,
  errorAnswer,
  type HandleRequest,
  isSource,
  readMessage,
  singleAnswer,
} from '@concordat/server'
import { type RequireClientAllowed, restrictsClient } from '../keys/index.js'
import type { NodeTrace } from '../nodes/index.js'
import type { Place, RequestQueue, WorkGate } from '../quota/index.js'
import { asRpcError, CallContext, countWork, createAnswerCall, smallAnswerBytes } from './answer-call.js'
import type { Charge, FindSpent } from './charge.js'
import type { CompressAnswer } from './compress-answer.js'
import { contractFailures } from './contract-failures.js'
import type { FindKey } from './find-key.js'
import type { FindNetwork } from './find-network.js'
import type { CallAnswer, Caller, Handle, HandledRequest } from './handled-request.js'
import { createMemoryBudget, type MemoryBudget } from './memory-budget.js'
import { isSmallBody, readBody, requireReadable, reserveBody, sizeOf } from './read-body.js'

/** Dependencies of the pipeline's steps. */
export interface PipelineOptions {
  readonly findKey: FindKey
  readonly findNetwork: FindNetwork
  readonly requireClientAllowed: RequireClientAllowed
  readonly queue: RequestQueue
  readonly gate: WorkGate
  readonly charge: Charge
  readonly findSpent: FindSpent
  /** The contract as text, for `rpc.discover`. */
  readonly document: Uint8Array
  /** Limit on the concurrent calls of one batch. */
  readonly batchCallsAtOnce: number
  readonly memory: {
    /** Limit on the large request bodies of all users, in bytes. */
    readonly bodyBytes: number
    /** Limit on the held logs and the unsent large answers of all users, in bytes. */
    readonly answerBytes: number
  }
}

/**
 * Creates the pipeline: the steps of a request, in the order of "The life of a request" in ARCHITECTURE.md. A
 * step that returns a value is not awaited, because an await costs about as much as a step.
 */
export function createPipeline(options: PipelineOptions): Handle {
  const { findKey, findNetwork, requireClientAllowed, queue, gate, charge, findSpent, document, memory } =
    options
  const bodyBudget = createMemoryBudget(memory.bodyBytes)
  const answerBudget = createMemoryBudget(memory.answerBytes)
  const answerMessage = createAnswerMessage(
    countWork(createAnswerCall(document)),
    contractFailures,
    limits,
    options.batchCallsAtOnce,
  )
  const answerSpent = createAnswerSpent(answerMessage, answerBudget)

  return async function handle(request, problem, trace): Promise<HandledRequest> {
    const { headers, response } = request
    let caller: Caller | undefined
    let slot: Slot | undefined
    let startedAt = 0
    try {
      if (problem !== undefined) throw failure(problem)
      const foundKey = findKey(request)
      const key = foundKey instanceof Promise ? await foundKey : foundKey
      const network = findNetwork(key.network, headers.host)
      if (restrictsClient(key.access)) {
        const { origin, authorization } = headers
        await requireClientAllowed(key.access, { address: request.ip, origin, authorization })
      }
      caller = { key, network, origin: key.access.origins && headers.origin }
      requireReadable(headers)
      const spent = findSpent(caller)
      if (spent !== undefined) return await answerSpent(request, caller, spent, trace)
      if (!isSmallBody(headers))
        queue.requireRoom(key.userId, Number(headers['content-length'] ?? 0), key.keyState)
      const reservation = reserveBody(bodyBudget, key.userId, request)

      const readingBody = readBody(request, reservation)
      const body = readingBody instanceof Promise ? await readingBody : readingBody
      if (body === undefined) return { key, answer: undefined, calls: [] }
      startedAt = performance.now()
      const bytes = sizeOf(body)
      const isLarge = bytes > limits.smallBodyBytes
      const takenSlot = isLarge
        ? takeGatedSlot(options, caller, response, bytes)
        : takeSlot(queue, caller, response, bytes)
      slot = takenSlot instanceof Promise ? await takenSlot : takenSlot
      if (slot === undefined) return { key, answer: disconnected, calls: [] }

      const message = isLarge ? readLarge(gate, body, bytes) : readMessage(body, limits)
      const items = billedItems(message, limits)
      const charged = charge(caller, items, slot instanceof RpcError ? slot : undefined)
      const admission = charged instanceof Promise ? await charged : charged
      const context = new CallContext(caller, response, answerBudget, {
        trace,
        startedAt,
        inBatch: items > 1,
        gate: isLarge ? gate : undefined,
      })
      const answering = answerMessage(message, admission, context)
      const { answer, items: calls } = answering instanceof Promise ? await answering : answering

      const { workLeft } = context
      if (workLeft === undefined) release(slot, answer, response)
      else {
        const taken = slot
        const free = reservation && bodyBudget.hold(key.userId, sizeOf(body))
        // A caller who disconnects would otherwise start new node calls while nodes still work on the earlier ones.
        workLeft.then(() => {
          free?.()
          release(taken, answer, response)
        })
      }
      return { key, answer, calls }
    } catch (thrown) {
      const error = asRpcError(thrown)
      if (caller === undefined) return { refusal: error, answer: errorOnly(error).answer, calls: [] }
      const refused =
        slot === undefined ? await refuseBody(charge, caller, error) : errorOnly(error, startedAt)
      if (slot !== undefined) release(slot, refused.answer, response)
      return { key: caller.key, answer: refused.answer, calls: [refused.call] }
    }
  }
}

/**
 * Creates the answer to a request whose limit is known to be spent. The request takes no place in the queue and no
 * memory of the budgets. A small body is read, so that the answer has the caller's id; others are dropped.
 */
function createAnswerSpent(answerMessage: AnswerMessage<CallContext, CallAnswer>, budget: MemoryBudget) {
  return async (
    request: EdgeRequest,
    caller: Caller,
    spent: Admission,
    trace: NodeTrace | undefined,
  ): Promise<HandledRequest> => {
    const { key } = caller
    if (!isSmallBody(request.headers)) {
      const { answer, call } = errorOnly(asRpcError(spent.error), 0, spent.headers)
      return { key, answer, calls: [call] }
    }
    const body = await request.readBody()
    if (body === undefined) return { key, answer: undefined, calls: [] }
    const facts = { trace, startedAt: performance.now(), inBatch: false, gate: undefined }
    const context = new CallContext(caller, request.response, budget, facts)
    const { answer, items } = await answerMessage(readMessage(body, limits), spent, context)
    return { key, answer, calls: items }
  }
}

/** The function that the transports call: the wrapped pipeline, reduced to the answer, which may be compressed. */
export const toRequestHandler =
  (handle: Handle, compress: CompressAnswer): HandleRequest =>
  async (request, problem) => {
    const { answer, key } = await handle(request, problem)
    return answer && key ? compress(request, answer, key.userId) : answer
  }

/** A slot among the user's concurrent requests, or the error with which the queue refuses the request. */
type Slot = Place | RpcError

/** The answer to a caller who disconnected in the queue; the status is for traces. */
const disconnected: Answer = { status: 499, headers: {}, body: null }

/**
 * Waits for a slot among the user's concurrent requests. The body waits unparsed, because the queue counts
 * its size.
 * @returns undefined when the caller disconnects first
 */
function takeSlot(
  queue: RequestQueue,
  { key: { userId, keyState } }: Caller,
  response: EdgeResponse,
  bytes: number,
): Slot | Promise<Slot | undefined> {
  const place = queue.enter(userId, keyState)
  if (place !== undefined) return place
  return queue.wait(userId, bytes, response, keyState).catch(asRpcError)
}

/**
 * Waits for a slot, and then for the turn of a large body. A refused one is not parsed, so its answer has no id.
 * @returns undefined when the caller disconnects first. Rejects with the error of the queue or the gate
 */
async function takeGatedSlot(
  { queue, gate }: Pick<PipelineOptions, 'queue' | 'gate'>,
  { key: { userId, keyState } }: Caller,
  response: EdgeResponse,
  bytes: number,
): Promise<Place | undefined> {
  const place = queue.enter(userId, keyState) ?? (await queue.wait(userId, bytes, response, keyState))
  let isPassed = false
  try {
    isPassed = place !== undefined && (await gate.pass(userId, response))
  } finally {
    if (!isPassed) place?.leave()
  }
  return isPassed ? place : undefined
}

/** Receiving a body takes about a millisecond of processor time for this many bytes. */
const receivedBytesPerMillisecond = 1_600_000

/** Parses a large body, and counts the time. */
function readLarge(gate: WorkGate, body: Body, bytes: number): ReturnType<typeof readMessage> {
  const begunAt = performance.now()
  const message = readMessage(body, limits)
  gate.worked(performance.now() - begunAt + bytes / receivedBytesPerMillisecond)
  return message
}

/** Frees the slot: immediately for a small answer, else after sending it or after a disconnect. */
function release(slot: Slot, { body }: Answer, response: EdgeResponse): void {
  if (slot instanceof RpcError) return
  const isSmall = body === null || (!isSource(body) && body.length <= smallAnswerBytes)
  if (isSmall || response.destroyed) slot.leave()
  else response.once('close', () => slot.leave())
}

/** A refused request: the HTTP answer, and a call that represents the request in logs and metrics. */
interface Refused {
  readonly answer: Answer
  readonly call: CallAnswer
}

function errorOnly(error: RpcError, startedAt = 0, headers?: Answer['headers']): Refused {
  const milliseconds = startedAt === 0 ? 0 : performance.now() - startedAt
  const call = { ...errorAnswer('null', error), method: undefined, milliseconds, nodeCalls: 0 }
  return { answer: singleAnswer(call, headers), call }
}

/** Refuses a request whose body was not read: free of charge, with the headers of an accepted key. */
async function refuseBody(charge: Charge, caller: Caller, error: RpcError): Promise<Refused> {
  try {
    const { headers } = await charge(caller, 0, error)
    return errorOnly(error, 0, headers)
  } catch (thrown) {
    return errorOnly(asRpcError(thrown))
  }
}
