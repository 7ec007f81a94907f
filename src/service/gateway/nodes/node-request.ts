import { setImmediate as nextImmediate } from 'node:timers/promises'
import type { JsonValue } from '@concordat/rpc'
import type { FairLimiter } from '@concordat/server'
import { answerPace } from './answers/answer-pace.js'
import { roomFor, serviceKey, turnFor } from './answers/answer-waits.js'
import type { OnDropped } from './answers/dropped-members.js'
import { type BatchAnswer, readAnswer, readBatch, unusable } from './answers/read-answer.js'
import type { HttpNode } from './http-node.js'
import type { NodeAnswer, NodeCallOptions, NodeSpan } from './node-call.js'
import { limitedStatus, type NodeProblem } from './node-problem.js'
import type { NodeResponse } from './node-response.js'

/** The parts of a call that a node needs. */
interface AttemptedCall {
  readonly method: string
  readonly params: readonly JsonValue[]
  readonly options: NodeCallOptions
  /** Deadline of the call, in milliseconds of a monotonic clock. */
  readonly expiresAt: number
  /** True for a call of constant cost, which may be batched. */
  readonly isSmall: boolean
  /** True for a call that must go to this node, such as a check. */
  readonly isPinned: boolean
}

/** One attempt of a call at one node. It ends once; later events are ignored. */
export class Attempt {
  /** Number of calls in the same request, including this one. */
  batched = 1
  hasEnded = false
  /** Index of the call in the pool's list of calls in flight. */
  place = -1
  /** The trace span of this attempt, where requests are traced. */
  span: NodeSpan | undefined
  /** The request that carries the attempt; undefined while it is queued. */
  request: NodeRequest | undefined
  /** The user for whom the attempt counts; empty for the service itself, undefined until it is needed. */
  user: string | undefined
  /** True for an attempt that is never batched. */
  isAlone = false
  /** True while the attempt waits for its user's turn. */
  isQueued = false
  #patienceMs = 0

  /**
   * @param id the JSON-RPC id of the call to the node
   * @param startedAt start, in milliseconds of a monotonic clock; later for an attempt that waits for its turn
   * @param expiresAt deadline on the same clock, after which the next node is tried; extended while an answer
   * is streamed
   * @param reserveMs time before the deadline that another node gets instead, if one can answer the call
   */
  constructor(
    readonly call: AttemptedCall,
    readonly id: number,
    public startedAt: number,
    public expiresAt: number,
    public reserveMs: number,
  ) {}

  /** Starts to wait for a turn of the user, until the deadline of the call. The attempt's timeout starts later. */
  wait(user: string): void {
    this.user = user
    this.isQueued = true
    this.#patienceMs = this.expiresAt - this.startedAt
    this.expiresAt = this.call.expiresAt
  }

  /** Ends the wait when the attempt is sent. */
  start(): void {
    this.startedAt = performance.now()
    this.expiresAt = Math.min(this.expiresAt, this.startedAt + this.#patienceMs)
    this.reserveMs = Math.min(this.reserveMs, (this.expiresAt - this.startedAt) / 2)
  }
}

/** The node that receives requests. It is notified of the outcome of each attempt. */
export interface RequestOwner {
  /** The node's name. */
  readonly name: string
  readonly http: HttpNode
  /** Maximum size of an answer, in bytes. */
  readonly answerBytes: number
  /** Memory for large answers, shared by all nodes and networks. */
  readonly answerRoom: FairLimiter
  /** Receives the members that are removed from its logs. */
  readonly onDropped: OnDropped | undefined
  answered(attempt: Attempt, answer: NodeAnswer): void
  failed(attempt: Attempt, problem: NodeProblem): void
  /** Sends the attempt in a request of its own, at its user's turn. */
  sendAlone(attempt: Attempt): void
  /** Records that the node does not support batches. */
  refusedBatch(): void
  /** Called when a request is sent. */
  sent(request: NodeRequest): void
  /** Called once when a request no longer needs its connection. */
  ended(request: NodeRequest): void
}

/** Rootstock's code for an answer over a limit of the node; part of the range may succeed. */
const tooLargeCode = -32012

/** The answer when the memory budget for answers is used up (EIP-1474: limit exceeded). */
const withoutRoom: NodeAnswer = { error: { code: -32005, message: 'no memory for the answer' } }

/** Error codes for a batch that was too slow or too large; the node still supports batches. */
const passing = new Set([-32005, -32011])

/** Statuses with which a node or its proxy refuses calls, regardless of the body. */
const refusals = new Set([401, 402, 403, 407, 408, limitedStatus])

const firstServerStatus = 500

/** The status of a request that failed in the node itself. Others come from proxies, or are temporary. */
const serverErrorStatus = 500

/** Answers up to this size, in bytes, do not count towards the memory budget for large answers. */
export const smallAnswerBytes = 65_536

const largeAnswerCharacters = 1_048_576

/** An abandoned answer is read up to this size, in bytes, so that its connection can be used again. */
export const droppedBytes = 131_072

/** Memory that is reserved at once for an answer of unknown size, in bytes. */
const unknownAnswerBytes = 1_048_576

/** True for a status of a response without an answer. */
export const isRefusal = (status: number) => status >= firstServerStatus || refusals.has(status)

/** Returns the body of one call. Method names come from the contract, so they need no escaping. */
export function bodyOf({ id, call: { method, params, options } }: Attempt): string {
  const { written } = options
  const text = written?.params === params ? written.text : JSON.stringify(params)
  return `{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${text}}`
}

/** True for checks and calls of constant cost. They have their own connections. */
export const isShortCall = ({ isSmall, isPinned }: Pick<AttemptedCall, 'isSmall' | 'isPinned'>) =>
  isSmall || isPinned

/** One POST to a node, for one call or a batch of them. */
export class NodeRequest {
  /** When the request was sent, in milliseconds of a monotonic clock. */
  readonly sentAt = performance.now()
  readonly #node: RequestOwner
  #waiting: number
  #response: NodeResponse | undefined
  /** True when logs of the answer are being read. */
  isReadingLogs = false
  /** True when its missing answer was counted against the node. */
  isCounted = false
  #hasEnded = false
  /** Closes the connection at the deadline of an abandoned answer. */
  #closing: NodeJS.Timeout | undefined
  #whenEnded: Promise<void> | undefined
  #tellEnd: (() => void) | undefined

  /** True when no attempt waits for the answer any more. */
  get isLeft(): boolean {
    return this.#waiting <= 0
  }

  /** Resolves when the node has answered, or the connection was closed. */
  get whenEnded(): Promise<void> {
    this.#whenEnded ??= new Promise((resolve) => {
      if (this.#hasEnded) resolve()
      else this.#tellEnd = resolve
    })
    return this.#whenEnded
  }

  /** True when the node has answered, or the connection was closed. */
  get hasEnded(): boolean {
    return this.#hasEnded
  }

  /** The user whose share of the memory the answer takes: that of the first call. */
  get userId(): string | undefined {
    return this.attempts[0]?.call.options.callers?.userIds[0]
  }

  constructor(
    node: RequestOwner,
    readonly attempts: readonly Attempt[],
  ) {
    this.#node = node
    this.#waiting = attempts.length
    for (const attempt of attempts) {
      attempt.batched = attempts.length
      attempt.request = this
      attempt.span ??= attempt.call.options.trace?.nodeCall(node.name, attempt.call.method)
      attempt.call.options.callers?.countNodeCall()
    }
    node.sent(this)
    if (attempts[0]?.call.options.logs === undefined) answerPace.served(this.userId, this.sentAt)
  }

  /**
   * Removes an attempt. After the last one, the node still works on the request. The request therefore keeps its connection
   * and the turn of its users until the node answers, or until the deadline of the attempts. The connection is closed
   * immediately if the answer may be large: it waits for memory or a slow reader, or logs have begun.
   */
  leave(): void {
    this.#waiting--
    if (!this.isLeft) return
    const expiresAt = Math.max(...this.attempts.map((attempt) => attempt.expiresAt))
    const milliseconds = expiresAt - performance.now()
    const isLarge = this.isReadingLogs || expiresAt === Number.POSITIVE_INFINITY
    if (milliseconds <= 0 || isLarge) this.#close()
    else this.#closing = setTimeout(() => this.#close(), milliseconds)
  }

  /** Tells the node that the connection is free. */
  end(): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    clearTimeout(this.#closing)
    this.#node.ended(this)
    this.#tellEnd?.()
  }

  /** Sends the request, and waits for the head of the response. Rejects when the connection breaks. */
  post(body: string): Promise<NodeResponse> {
    const isShort = this.attempts.some(({ call }) => isShortCall(call))
    const traceparent = this.attempts.find(({ span }) => span !== undefined)?.span?.traceparent
    this.#response = this.#node.http.post({ body, isShort, traceparent })
    return this.#response.head
  }

  #close(): void {
    this.#response?.close()
    this.end()
  }

  /** Calls a function for each attempt that still waits for the answer. */
  each(tell: (attempt: Attempt, place: number) => void): void {
    for (const [place, attempt] of this.attempts.entries()) if (!attempt.hasEnded) tell(attempt, place)
  }

  /**
   * Reports a response that is not an answer to this request. Later answers on this connection may belong to
   * other requests.
   */
  rejected(node: RequestOwner, status: number, text: string): void {
    if (!isRefusal(status)) node.http.reconnect(this.sentAt)
    const problem: NodeProblem =
      status === limitedStatus
        ? { kind: 'limited', retryAfterMs: this.#response?.retryAfterMs, text }
        : { kind: 'rubbish', status, text }
    this.each((attempt) => node.failed(attempt, problem))
  }

  /** Tells the node that the connection broke. */
  broke(node: RequestOwner, cause: unknown): void {
    this.each((attempt) => node.failed(attempt, { kind: 'connection', cause }))
  }
}

/** Sends one call and reports its outcome to the node. */
export async function sendCall(node: RequestOwner, attempt: Attempt): Promise<void> {
  const request = new NodeRequest(node, [attempt])
  let release: () => void = nothing
  try {
    const { status, text, excess, release: held } = await receive(node, request, bodyOf(attempt))
    release = held
    if (attempt.hasEnded) return
    if (excess !== undefined) {
      const message = `Response size limit of ${node.answerBytes} bytes exceeded`
      const tooLarge = { error: { code: tooLargeCode, message } }
      node.answered(attempt, excess === 'room' ? withoutRoom : tooLarge)
      return
    }
    const isLarge = text.length > largeAnswerCharacters
    const parse = () => (isRefusal(status) ? undefined : readAnswer(text, attempt.id))
    const answer = isLarge ? counted(request, parse) : parse()
    // Parsing and normalising a large answer take one turn of the event loop each, to keep turns short.
    if (isLarge) await afterOthers()
    if (attempt.hasEnded) return
    if (answer === undefined) request.rejected(node, status, text)
    else if (isLarge) counted(request, () => node.answered(attempt, answer))
    else node.answered(attempt, answer)
  } catch (cause) {
    request.broke(node, cause)
  } finally {
    release()
  }
}

/** Counts the time of work on a large answer. */
function counted<T>({ userId }: NodeRequest, work: () => T): T {
  const begunAt = performance.now()
  const done = work()
  answerPace.worked(userId, begunAt, 0)
  return done
}

/** Waits until the event loop has polled its sockets. The first immediate still runs before the poll. */
async function afterOthers(): Promise<void> {
  await nextImmediate()
  await nextImmediate()
}

/** Sends several calls of constant cost as one batch, and reports the outcome of each call to the node. */
export async function sendBatch(node: RequestOwner, attempts: readonly Attempt[]): Promise<void> {
  const request = new NodeRequest(node, attempts)
  let release: () => void = nothing
  try {
    const received = await receive(node, request, `[${attempts.map(bodyOf).join(',')}]`)
    const { status, text, excess } = received
    release = received.release
    if (request.isLeft) return
    if (excess === 'room') request.each((attempt) => node.answered(attempt, withoutRoom))
    else if (excess === 'answer') request.each((attempt) => node.sendAlone(attempt))
    else {
      const batch = isRefusal(status) ? undefined : readBatch(text, attempts)
      if (batch !== undefined) tellAnswers(node, request, batch)
      else if (isRefusal(status) && status !== serverErrorStatus) request.rejected(node, status, text)
      else {
        // One call can spoil the answers to all others: an exception in the node, or a result that is not JSON.
        if (!isRefusal(status)) node.http.reconnect(request.sentAt)
        request.each((attempt) => node.sendAlone(attempt))
      }
    }
  } catch (cause) {
    request.broke(node, cause)
  } finally {
    release()
  }
}

function tellAnswers(node: RequestOwner, request: NodeRequest, { answers, refusal }: BatchAnswer): void {
  if (refusal !== undefined && !passing.has(refusal.code)) node.refusedBatch()
  if (refusal === unusable) node.http.reconnect(request.sentAt)
  request.each((attempt, place) => {
    const answer = answers?.[place]
    if (answer === undefined) node.sendAlone(attempt)
    else node.answered(attempt, answer)
  })
}

/** A response. Its text is empty if it exceeds the maximum size or the memory budget. */
interface Received {
  readonly status: number
  readonly text: string
  readonly excess?: 'answer' | 'room'
  /** Releases the memory of the text. */
  readonly release: () => void
}

const nothing = () => undefined

/** Sends a request and reads the response to its end. */
async function receive(node: RequestOwner, request: NodeRequest, body: string): Promise<Received> {
  try {
    const response = await request.post(body)
    return { status: response.statusCode, ...(await read(response, node, request)) }
  } finally {
    request.end()
  }
}

async function read(
  response: NodeResponse,
  { answerBytes, answerRoom }: RequestOwner,
  request: NodeRequest,
): Promise<Omit<Received, 'status'>> {
  const { userId } = request
  const chunks: Buffer[] = []
  let size = 0
  let held = 0
  const user = () => answerRoom.of(userId ?? serviceKey)
  const release = () => answerRoom.give(user(), held)
  let isRead = false
  try {
    for await (const chunk of response) {
      size += chunk.length
      if (size > smallAnswerBytes) await turnFor(chunk.length, request)
      if (request.isLeft) {
        chunks.length = 0
        if (size > droppedBytes) return { text: '', excess: 'answer', release: nothing }
        continue
      }
      chunks.push(chunk)
      if (size <= smallAnswerBytes || size <= held) continue
      const bytes = held === 0 ? (response.contentLength ?? unknownAnswerBytes) : unknownAnswerBytes
      // Leaving the loop closes the connection.
      if (Math.max(size, bytes) > answerBytes) return { text: '', excess: 'answer', release: nothing }
      const isReserved =
        answerRoom.take(user(), bytes) || (held === 0 && (await roomFor(bytes, answerRoom, user(), request)))
      if (!isReserved) return { text: '', excess: 'room', release: nothing }
      held += bytes
    }
    const text = Buffer.concat(chunks).toString('utf8')
    isRead = true
    return { text, release: held === 0 ? nothing : release }
  } finally {
    if (!isRead && held > 0) release()
  }
}
