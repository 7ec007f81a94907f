import { setImmediate as nextImmediate } from 'node:timers/promises'
import { type Dispatcher, Pool } from 'undici'
import type { Attempt } from './attempt.js'
import type { NodeAnswer } from './node-call.js'
import type { NodeProblem } from './node-problem.js'
import { decoded } from './node-secrets.js'
import type { NodeSettings } from './node-settings.js'
import type { PoolSettings } from './pool-settings.js'
import { type BatchAnswer, readAnswer, readBatch, unusable } from './read-answer.js'

/** The node that requests are sent to. It is told how each attempt ends. */
export interface RequestOwner {
  readonly http: HttpNode
  /** The largest answer that is read, in bytes. */
  readonly answerBytes: number
  /** Memory for the large answers of all nodes that are being read. */
  readonly answerRoom: AnswerRoom
  answered(attempt: Attempt, answer: NodeAnswer): void
  failed(attempt: Attempt, problem: NodeProblem): void
  /** The attempt has to travel in a request of its own. */
  sendAlone(attempt: Attempt): void
  /** The node does not take batches. */
  refusedBatch(): void
  /** A request of calls of constant cost was sent at that time of a clock that does not go back, in milliseconds. */
  smallSent(sentAt: number): void
  /** A request of calls of constant cost ended, which was sent at that time. */
  smallEnded(sentAt: number): void
}

/** Rootstock's code for an answer over a limit of the node: a part of it may be within. */
const tooLargeCode = -32012

/** Answered when there is no room for an answer beside the others that are being read (EIP-1474: limit exceeded). */
const withoutRoom: NodeAnswer = { error: { code: -32005, message: 'no room for the answer' } }

/** Codes for a batch that was too slow or too large as a whole; the node may take the next one. */
const passing = new Set([-32005, -32011])

/** Statuses with which a node, or a proxy before it, takes no calls, whatever the body says. */
const refusals = new Set([401, 402, 403, 407, 408, 429])

const firstServerStatus = 500

/** An answer up to this size, in bytes, does not count towards the room for large answers. */
const smallAnswerBytes = 65_536

const largeAnswerCharacters = 1_048_576

/** True for a status that comes without an answer. */
export const isRefusal = (status: number) => status >= firstServerStatus || refusals.has(status)

/** The body for one call. Method names are the contract's, so nothing in them needs escaping. */
export function bodyOf({ id, call: { method, params, options } }: Attempt): string {
  const { written } = options
  const text = written?.params === params ? written.text : JSON.stringify(params)
  return `{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${text}}`
}

/** One POST to a node, for one call or a batch of them. */
export class NodeRequest {
  /** When it was sent, by a clock that does not go back, in milliseconds. */
  readonly sentAt = performance.now()
  readonly #controller = new AbortController()
  #waiting: number

  constructor(readonly attempts: readonly Attempt[]) {
    this.#waiting = attempts.length
    for (const attempt of attempts) {
      attempt.batched = attempts.length
      attempt.request = this
    }
  }

  /** An attempt is over. The connection is cut when no other one waits for the answer. */
  leave(): void {
    this.#waiting--
    if (this.#waiting === 0) this.#controller.abort()
  }

  /** Sends the request; rejects when there is no response. */
  post({ http }: RequestOwner, body: string): Promise<Dispatcher.ResponseData> {
    const isShort = this.attempts.some(({ call }) => call.isSmall || call.isPinned)
    const traceparent = this.attempts.find(({ span }) => span !== undefined)?.span?.traceparent
    return http.post({ body, isShort, traceparent, signal: this.#controller.signal })
  }

  /** Calls a function for each attempt that still waits for the answer. */
  each(tell: (attempt: Attempt, place: number) => void): void {
    for (const [place, attempt] of this.attempts.entries()) if (!attempt.hasEnded) tell(attempt, place)
  }

  /** Tells the node that the response is no answer to the request; the one to another request may follow. */
  rejected(node: RequestOwner, status: number, text: string): void {
    if (!isRefusal(status)) node.http.reconnect(this.sentAt)
    this.each((attempt) => node.failed(attempt, { kind: 'rubbish', status, text }))
  }

  /** Tells the node that the connection broke. */
  broke(node: RequestOwner, cause: unknown): void {
    this.each((attempt) => node.failed(attempt, { kind: 'connection', cause }))
  }
}

/** Sends one call and tells the node how it ended. */
export async function sendCall(node: RequestOwner, attempt: Attempt): Promise<void> {
  const request = new NodeRequest([attempt])
  try {
    const { status, text, excess } = await receive(node, request, bodyOf(attempt))
    if (attempt.hasEnded) return
    if (excess !== undefined) {
      const message = `Response size limit of ${node.answerBytes} bytes exceeded`
      const tooLarge = { error: { code: tooLargeCode, message } }
      node.answered(attempt, excess === 'room' ? withoutRoom : tooLarge)
      return
    }
    const answer = isRefusal(status) ? undefined : readAnswer(text, attempt.id)
    // A large answer is parsed in one turn of the event loop and normalised in the next.
    if (text.length > largeAnswerCharacters) await afterOthers()
    if (attempt.hasEnded) return
    if (answer === undefined) request.rejected(node, status, text)
    else node.answered(attempt, answer)
  } catch (cause) {
    request.broke(node, cause)
  }
}

/** Waits until the event loop has read from its sockets: the first immediate still runs before that. */
async function afterOthers(): Promise<void> {
  await nextImmediate()
  await nextImmediate()
}

/** Sends several calls of constant cost as one batch and tells the node how each of them ended. */
export async function sendBatch(node: RequestOwner, attempts: readonly Attempt[]): Promise<void> {
  const request = new NodeRequest(attempts)
  try {
    const { status, text, excess } = await receive(node, request, `[${attempts.map(bodyOf).join(',')}]`)
    if (excess === 'room') request.each((attempt) => node.answered(attempt, withoutRoom))
    else if (excess === 'answer') request.each((attempt) => node.sendAlone(attempt))
    else {
      const batch = isRefusal(status) ? undefined : readBatch(text, attempts)
      if (batch === undefined) request.rejected(node, status, text)
      else tellAnswers(node, request, batch)
    }
  } catch (cause) {
    request.broke(node, cause)
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

/** A response; its text is empty when it exceeds the largest answer, or the room for all of them. */
interface Received {
  readonly status: number
  readonly text: string
  readonly excess?: 'answer' | 'room'
}

/** Sends a request and reads the response to its end. */
async function receive(node: RequestOwner, request: NodeRequest, body: string): Promise<Received> {
  const isSmall = request.attempts[0]?.call.isSmall === true
  if (isSmall) node.smallSent(request.sentAt)
  try {
    const response = await request.post(node, body)
    return { status: response.statusCode, ...(await read(response.body, node)) }
  } finally {
    if (isSmall) node.smallEnded(request.sentAt)
  }
}

async function read(
  body: AsyncIterable<Buffer>,
  { answerBytes, answerRoom }: RequestOwner,
): Promise<Omit<Received, 'status'>> {
  const chunks: Buffer[] = []
  let size = 0
  let held = 0
  try {
    for await (const chunk of body) {
      chunks.push(chunk)
      size += chunk.length
      if (size <= smallAnswerBytes) continue
      // Leaving the loop cuts the connection.
      if (size > answerBytes) return { text: '', excess: 'answer' }
      if (!answerRoom.take(size - held)) return { text: '', excess: 'room' }
      held = size
    }
    return { text: Buffer.concat(chunks).toString('utf8') }
  } finally {
    answerRoom.give(held)
  }
}

/** The memory that large answers of a network's nodes take together while they are read, in bytes. */
export class AnswerRoom {
  #left: number

  constructor(bytes: number) {
    this.#left = bytes
  }

  /** Takes some of it; false when there is not so much. */
  take(bytes: number): boolean {
    if (bytes > this.#left) return false
    this.#left -= bytes
    return true
  }

  /** Gives some of it back. */
  give(bytes: number): void {
    this.#left += bytes
  }
}

/** One POST to a node. */
export interface NodePost {
  readonly body: string
  /** True for calls of constant cost and checks: they never wait for a connection behind calls of unknown cost. */
  readonly isShort: boolean
  /** Header of the trace that the request belongs to. */
  readonly traceparent: string | undefined
  /** Cuts the connection when it is aborted. */
  readonly signal: AbortSignal
}

/** The connections of one node, over http or https. A certificate has to be one that Node.js trusts. */
export class HttpNode {
  readonly #open: () => Pool
  readonly #path: string
  readonly #headers: Record<string, string>
  #pools: readonly [short: Pool, other: Pool]
  #openedAt = 0
  /** Pools that finish their requests and take no more. */
  readonly #retired = new Set<Pool>()

  constructor(
    { url, headers }: Pick<NodeSettings, 'url' | 'headers'>,
    { connections, connectMs }: Pick<PoolSettings, 'connections' | 'connectMs'>,
  ) {
    const { origin, pathname, search, username, password } = new URL(url)
    // The pool of nodes keeps the deadline of each call; undici's own would end requests that other calls share.
    const timeouts = { connect: { timeout: connectMs }, headersTimeout: 0, bodyTimeout: 0 }
    this.#open = () => new Pool(origin, { connections, ...timeouts })
    this.#pools = [this.#open(), this.#open()]
    this.#path = pathname + search
    this.#headers = {
      'content-type': 'application/json',
      accept: 'application/json',
      ...(username === '' && password === '' ? {} : { authorization: basic(username, password) }),
      ...Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
    }
  }

  /** Sends a request; rejects when there is no response, or the signal aborts before it begins. */
  post({ body, isShort, traceparent, signal }: NodePost): Promise<Dispatcher.ResponseData> {
    const headers = traceparent === undefined ? this.#headers : { ...this.#headers, traceparent }
    const pool = this.#pools[isShort ? 0 : 1]
    return pool.request({ path: this.#path, method: 'POST', headers, body, signal })
  }

  /**
   * Sends all further requests over new connections: one of the present ones is out of step, and brings answers to
   * other requests.
   * @param sentAt when the request left that shows it, in milliseconds of a clock that does not go back
   */
  reconnect(sentAt: number): void {
    if (sentAt < this.#openedAt) return
    const pools = this.#pools
    this.#openedAt = performance.now()
    this.#pools = [this.#open(), this.#open()]
    for (const pool of pools) {
      this.#retired.add(pool)
      pool.close().finally(() => this.#retired.delete(pool))
    }
  }

  /** Cuts the connections. */
  async close(): Promise<void> {
    await Promise.all([...this.#pools, ...this.#retired].map((pool) => pool.destroy()))
  }
}

const basic = (username: string, password: string) =>
  `Basic ${Buffer.from(`${decoded(username)}:${decoded(password)}`).toString('base64')}`
