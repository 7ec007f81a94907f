import { RpcError } from '@concordat/rpc'
import type { Answer } from '../protocol/encode-answer.js'
import { isSource } from '../protocol/encode-answer.js'
import { type Failures, failureError } from '../protocol/failures.js'
import type { HttpSource, Recipient } from '../protocol/http-source.js'
import { type Limits, positiveInteger } from '../protocol/limits.js'
import { type CompressAnswer, createCompressAnswer } from './compress-answer.js'
import { createMemoryBudget, type MemoryBudget, type Resize } from './memory-budget.js'
import { createRequestQueue, type Place, type RequestQueue } from './request-queue.js'
import { createWorkGate, type WorkGate } from './work-gate.js'

/** Memory of a process for the requests of all callers, in bytes. A byte of it costs up to four bytes of the heap. */
export interface SharedMemory {
  /** Bodies over `smallBodyBytes`, from their headers until their answers are sent. */
  readonly bodyBytes: number
  /** Bodies of queued requests. */
  readonly queuedBytes: number
  /** Answers over 64 KiB until they are sent, and what handlers reserve. */
  readonly answerBytes: number
}

/** How callers share a process. */
export interface SharingOptions<Context> {
  /** Names the caller of a request, such as the id of a user. The bounds of one caller apply to all its requests. */
  readonly caller: (context: Context) => string
  readonly memory: SharedMemory
  /** Queued requests of all callers; further ones are refused. Default: 10,000. */
  readonly queuedRequests?: number | undefined
  /** Large answers that are compressed with gzip at once, one for each caller. Default: 0. */
  readonly compressionsAtOnce?: number | undefined
}

/** The shared parts of a process. */
export interface Shared {
  readonly queue: RequestQueue
  readonly gate: WorkGate
  /** Admits one large batch in each turn of the event loop. */
  readonly batches: WorkGate
  readonly bodies: MemoryBudget
  readonly answers: MemoryBudget
  readonly compress: CompressAnswer
  readonly limits: Limits
  readonly failures: Failures
}

const defaultQueuedRequests = 10_000

/**
 * Creates the shared parts of a service.
 * @throws RangeError if an option is not a positive integer; `compressionsAtOnce` may be 0
 */
export function createShared<Context>(
  { memory, queuedRequests = defaultQueuedRequests, compressionsAtOnce = 0 }: SharingOptions<Context>,
  limits: Limits,
  failures: Failures,
): Shared {
  const { bodyBytes, queuedBytes, answerBytes } = memory
  const counts = { queuedRequests, ...(compressionsAtOnce !== 0 && { compressionsAtOnce }) }
  for (const [name, count] of Object.entries(counts)) positiveInteger(`sharing.${name}`, count)
  const sizes = { bodyBytes, queuedBytes, answerBytes }
  for (const [name, bytes] of Object.entries(sizes)) positiveInteger(`sharing.memory.${name}`, bytes)
  return {
    queue: createRequestQueue({ ...limits, queuedRequests, queuedBytes }, failures),
    gate: createWorkGate(limits, failures),
    batches: createWorkGate(limits, failures),
    bodies: createMemoryBudget(bodyBytes),
    answers: createMemoryBudget(answerBytes),
    compress: createCompressAnswer(compressionsAtOnce, limits),
    limits,
    failures,
  }
}

/** An answer up to this size, in bytes, fits into the buffers of the operating system. */
const smallAnswerBytes = 65_536

/** A response up to this size, in bytes, is always sent: an error would be about as large. */
const briefResponseBytes = 1_024

/** Receiving a body takes about a millisecond of processor time for this many bytes. */
const receivedBytesPerMillisecond = 1_600_000

/** Batches with at most this many calls start without waiting for a turn. */
const callsWithoutTurn = 16

/** Assumed processor time of a call after its start, such as for the node's answer, in milliseconds. */
const callMilliseconds = 0.05

/** Reading and sending an answer takes about a millisecond of processor time for this many bytes. */
const answerBytesPerMillisecond = 160_000

/** A place among the caller's concurrent requests, or the error with which the queue refuses the request. */
export type Slot = Place | RpcError

/** The part of the shared memory, places and turns that one request uses. */
export class Share {
  /** True if the body is over `smallBodyBytes`: its work waits for turns and is counted. */
  isLarge = false
  readonly #shared: Shared
  readonly #callerId: string
  readonly #response: Recipient
  #bodyBytes = 0
  #body: Resize | undefined = undefined
  #answer: Resize | undefined = undefined
  #answerBytes = 0
  #reservedBytes = 0
  #left: Promise<unknown>[] | undefined = undefined

  readonly #request: Pick<HttpSource, 'headers' | 'response'>

  constructor(shared: Shared, callerId: string, request: Pick<HttpSource, 'headers' | 'response'>) {
    this.#shared = shared
    this.#callerId = callerId
    this.#request = request
    this.#response = request.response
  }

  /** Returns the answer, compressed if it is large, the request accepts it and a compression may start. */
  compressed(answer: Answer): Answer {
    return this.#shared.compress(this.#request, answer, this.#callerId)
  }

  /**
   * Reserves memory for a body before it is read. Small bodies need none, because the number of connections is limited.
   * @param announced size in bytes; undefined for an unknown size
   * @returns the error if there is no room: `tooManyCallsAtOnce`, `tooManyLargeBodies`, `queueFull`
   */
  expect(announced: number | undefined): RpcError | undefined {
    const { queue, bodies, limits, failures } = this.#shared
    if (this.isSmall(announced)) return undefined
    try {
      queue.requireRoom(this.#callerId, announced ?? 0)
    } catch (error) {
      if (error instanceof RpcError) return error
      throw error
    }
    if (this.#response.destroyed) return undefined
    const bytes = Math.min(announced ?? limits.bodyBytes, limits.bodyBytes)
    this.#body = bodies.reserve(this.#callerId, this.#response, bytes)
    if (this.#body !== undefined) return undefined
    const isOver = bodies.isOverShare(this.#callerId, bytes)
    return failureError(isOver ? failures.tooManyLargeBodies : failures.queueFull)
  }

  /** True for a body that is announced as small. */
  isSmall(announced: number | undefined): boolean {
    return announced !== undefined && announced <= this.#shared.limits.smallBodyBytes
  }

  /** Takes the size of a message that has arrived, in bytes. */
  arrived(bytes: number): void {
    this.#bodyBytes = bytes
    this.isLarge = bytes > this.#shared.limits.smallBodyBytes
    this.#body?.(this.isLarge ? bytes : 0)
  }

  /**
   * Takes a place among the caller's requests, or waits for it.
   * @returns undefined if the caller disconnects first. Never rejects
   */
  place(): Slot | Promise<Slot | undefined> {
    const { queue } = this.#shared
    const shed = queue.shed(this.#callerId, this.#bodyBytes, this.#response)
    if (shed !== undefined) return shed
    const place = queue.enter(this.#callerId)
    return place ?? queue.wait(this.#callerId, this.#bodyBytes, this.#response).catch(asRefusal)
  }

  /**
   * Waits for the turn of a large body.
   * @returns true, false if the caller has disconnected, or the error `queuedTooLong`. Never rejects
   */
  turnOfBody(): boolean | Promise<boolean | RpcError> {
    const passed = this.#shared.gate.pass(this.#callerId, this.#response)
    return passed instanceof Promise ? passed.catch(asRefusal) : passed
  }

  /**
   * Waits for the turn of a large message of a connection, before it has a place: it may be the response that the calls
   * in all places wait for. Reserves memory for it.
   * @returns the error if there is no room or no turn. Never rejects
   */
  async turnOfMessage(): Promise<RpcError | undefined> {
    const error = this.expect(this.#bodyBytes)
    if (error !== undefined) return error
    const passed = await this.turnOfBody()
    return passed instanceof RpcError ? passed : undefined
  }

  /**
   * Waits for the turn of a batch. One batch starts in each turn of the event loop, and callers alternate, so that many
   * batches of one caller do not delay the other callers. Small batches do not wait, nor do large bodies, which have
   * already waited.
   * @param calls number of calls in the batch
   * @returns true, false if the caller has disconnected, or the error `queuedTooLong`. Never rejects
   */
  turnOfBatch(calls: number): true | Promise<boolean | RpcError> {
    if (calls <= callsWithoutTurn || this.isLarge) return true
    const passed = this.#shared.batches.pass(this.#callerId, this.#response)
    return passed instanceof Promise ? passed.catch(asRefusal) : true
  }

  /**
   * Counts the processor time of the calls of a message.
   * @param milliseconds processor time until all calls had started
   * @param calls number of calls
   */
  began(place: Place, milliseconds: number, calls: number): void {
    place.worked(milliseconds + calls * callMilliseconds)
  }

  /** Counts the time of parsing a large body, in milliseconds. */
  parsed(milliseconds: number): void {
    this.#shared.gate.worked(milliseconds + this.#bodyBytes / receivedBytesPerMillisecond)
  }

  /** Counts the time of other work for a large body, in milliseconds. */
  worked(milliseconds: number): void {
    this.#shared.gate.worked(milliseconds)
  }

  /** Reserves memory for a response until the whole answer is sent; false when none is left. */
  holdAnswer(bytes: number): boolean {
    if (bytes <= briefResponseBytes) return true
    const total = this.#answerBytes + bytes
    if (!this.#hold(Math.max(total, this.#reservedBytes))) return false
    this.#answerBytes = total
    return true
  }

  /** Reserves memory for data of handlers until the answer is sent; negative bytes release it. */
  reserve(bytes: number): boolean {
    const total = this.#reservedBytes + bytes
    if (!this.#hold(Math.max(total, this.#answerBytes)) && bytes > 0) return false
    this.#reservedBytes = total
    return true
  }

  /** Reserved data becomes a part of the answer, so the larger of both sizes counts. */
  #hold(bytes: number): boolean {
    if (this.#answer !== undefined) return this.#answer(bytes)
    if (bytes <= smallAnswerBytes || this.#response.destroyed) return true
    this.#answer = this.#shared.answers.reserve(this.#callerId, this.#response, bytes)
    return this.#answer !== undefined
  }

  waitUntil(work: Promise<unknown>): void {
    this.#left ??= []
    this.#left.push(work)
  }

  /**
   * Frees the place: immediately for a small answer, else after sending it or after a disconnect, and after the work that
   * handlers have left.
   */
  release(place: Place, { body }: Answer): void {
    if (body !== null && !isSource(body)) place.worked(body.length / answerBytesPerMillisecond)
    const isSmall = body === null || (!isSource(body) && body.length <= smallAnswerBytes)
    if (this.#left === undefined) {
      this.#free(place, isSmall)
      return
    }
    // A caller who disconnects would otherwise start new work while the earlier work goes on.
    const release = this.#body && this.#shared.bodies.hold(this.#callerId, this.#bodyBytes)
    Promise.allSettled(this.#left).then(() => {
      release?.()
      this.#free(place, isSmall)
    })
  }

  #free(place: Place, isSmall: boolean): void {
    if (isSmall || this.#response.destroyed) place.leave()
    else this.#response.once('close', () => place.leave())
  }
}

const asRefusal = (error: unknown): RpcError => {
  if (error instanceof RpcError) return error
  throw error
}
