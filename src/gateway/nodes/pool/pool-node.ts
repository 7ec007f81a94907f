import type { AnswerRoom } from '../answer-room.js'
import { LackingData } from '../answers/lacking-data.js'
import { sendLogs } from '../answers/log-request.js'
import type { ReportedHead } from '../head-of-call.js'
import type { NodeAnswer } from '../node-call.js'
import type { NodeProblem } from '../node-problem.js'
import { type Attempt, HttpNode, type RequestOwner, sendBatch, sendCall } from '../node-request.js'
import { createRedact } from '../node-secrets.js'
import type { NodeSettings } from '../node-settings.js'
import type { NodeStatus } from '../node-status.js'
import type { PoolSettings } from './pool-settings.js'

/** How far a node's head is from the agreed head: too far ahead, too far behind, or close enough. */
export type HeadDistance = Extract<NodeStatus['state'], 'ahead' | 'lagging' | 'healthy'>

/** Receives the outcome of attempts, once for each attempt. */
export interface AttemptListener {
  answered(node: PoolNode, attempt: Attempt, answer: NodeAnswer): void
  failed(node: PoolNode, attempt: Attempt, problem: NodeProblem): void
}

/**
 * One node of the pool: its connections, health, known limitations, and queued calls. Calls of constant cost
 * are batched: they wait for the end of the event loop's turn, or for a fast node's outstanding answers. All
 * other calls leave at once, each in a request of its own.
 */
export class PoolNode implements RequestOwner {
  readonly name: string
  readonly weight: number
  readonly timeoutMs: number
  readonly answerBytes: number
  readonly answerRoom: AnswerRoom
  readonly circuit: Circuit
  /** Removes the node's address and credentials from a text. */
  readonly redact: (text: string) => string
  /** Whether the node is on the right network; undefined before its first answer about that. */
  isRightChain: boolean | undefined
  /** Whether the node answered the last check. */
  isAnswering = false
  /** Number of its most recent block; -1 while that is unknown. */
  head = -1
  /** Whether the node agreed with the last agreed head. */
  agrees = true
  /** Data that the node was found to lack. */
  readonly lacks = new LackingData()
  /** Hash of the most recent block, where it is known. */
  headHash: string | undefined
  /** Smoothed latency of its answers to checks, in milliseconds; undefined before the first answer. */
  latencyMs: number | undefined
  /** Number of attempts that wait for an answer. */
  inFlight = 0
  /** Forms of calls that the node refused, such as state overrides. */
  readonly refuses = new Set<string>()
  /** Number of calls that the node failed. */
  failures = 0
  /** Number of calls sent to the node. */
  calls = 0
  readonly http: HttpNode
  readonly #batchItems: number
  readonly #listener: AttemptListener
  #waiting: Attempt[] = []
  #isFlushDue = false
  readonly #sendWaiting = () => this.#flush()
  readonly #gatherMs: number
  /** Number of in-flight requests with calls of constant cost. */
  #smallsOut = 0
  /** When the last of these requests was sent, in milliseconds of a monotonic clock. */
  #constantCostSentAt = 0
  /** Duration of the last such request that ended, in milliseconds. */
  #smallTook = Number.POSITIVE_INFINITY
  /** When the node reported its head, in milliseconds of a monotonic clock. */
  #headReportedAt = 0
  #takesBatches = true
  #lastId = 0

  /**
   * @param batchItems maximum number of calls in a batch to the node
   * @param answerRoom memory for large answers, shared by all nodes
   */
  constructor(
    node: NodeSettings,
    settings: PoolSettings,
    batchItems: number,
    answerRoom: AnswerRoom,
    listener: AttemptListener,
  ) {
    this.answerRoom = answerRoom
    this.name = node.name
    this.weight = node.weight
    this.timeoutMs = node.timeoutMs
    this.answerBytes = settings.answerBytes
    this.circuit = new Circuit(settings)
    this.redact = createRedact(node.url, node.headers)
    this.http = new HttpNode(node, settings)
    this.#batchItems = batchItems
    this.#gatherMs = settings.gatherMs
    this.#listener = listener
  }

  /** Returns a new id for a call to the node. */
  nextId(): number {
    return ++this.#lastId
  }

  /** True when the node is on the right network and its circuit breaker is closed. */
  get isUsable(): boolean {
    return this.isRightChain === true && !this.circuit.isOpen
  }

  /**
   * True for a node with an open circuit breaker that answers checks: it is used when no other node is
   * available.
   */
  get isLastResort(): boolean {
    return this.isRightChain === true && this.circuit.isOpen && this.isAnswering
  }

  /**
   * Records a block that the node reported.
   * @param askedAt when the node was asked, in milliseconds of a monotonic clock
   * @returns true when the head or its hash changed
   */
  recordHead({ number, hash, isLatest }: ReportedHead, askedAt: number): boolean {
    // The answer to a later question can arrive first.
    if (number < this.head && (!isLatest || askedAt < this.#headReportedAt)) return false
    if (number === this.head) {
      if (hash === undefined || hash === this.headHash) return false
    } else {
      this.head = number
      this.#headReportedAt = performance.now()
    }
    this.headHash = hash
    return true
  }

  /** Forgets the head: another node may answer at this address now. */
  forgetHead(): void {
    this.head = -1
    this.headHash = undefined
  }

  /** Forgets the node's known limitations: another node may answer at this address now. */
  forgetDialect(): void {
    this.#takesBatches = true
    this.refuses.clear()
  }

  /** Sends or queues an attempt; the listener receives its outcome. */
  ask(attempt: Attempt): void {
    this.inFlight++
    this.calls++
    if (!attempt.call.isSmall || !this.#takesBatches) this.sendAlone(attempt)
    else if (this.#waiting.push(attempt) >= this.#batchItems || !this.#isGathering(attempt.startedAt))
      this.#flushSoon()
  }

  /** Sends queued calls that have waited too long. To be called periodically. */
  sendOverdue(now: number): void {
    if (this.#waiting.length > 0 && !this.#isGathering(now)) this.#flushSoon()
  }

  onConstantCostSent(sentAt: number): void {
    this.#smallsOut++
    this.#constantCostSentAt = sentAt
  }

  onConstantCostEnded(sentAt: number): void {
    this.#smallsOut--
    this.#smallTook = performance.now() - sentAt
    if (this.#waiting.length > 0) this.#flushSoon()
  }

  /** Ends an attempt whose caller has left or whose deadline has passed. */
  abandon(attempt: Attempt): void {
    this.#end(attempt)
    attempt.request?.leave()
  }

  sendAlone(attempt: Attempt): void {
    const { logs } = attempt.call.options
    if (logs === undefined) sendCall(this, attempt)
    else sendLogs(this, attempt, logs)
  }

  refusedBatch(): void {
    this.#takesBatches = false
  }

  answered(attempt: Attempt, answer: NodeAnswer): void {
    this.#end(attempt)
    this.#listener.answered(this, attempt, answer)
  }

  failed(attempt: Attempt, problem: NodeProblem): void {
    this.#end(attempt)
    this.#listener.failed(this, attempt, problem)
  }

  /**
   * Returns the status of the node.
   * @param distance how far its head is from the agreed head
   */
  status(distance: HeadDistance): NodeStatus {
    const { name, latencyMs, inFlight, failures } = this
    const head = this.head < 0 ? undefined : BigInt(this.head)
    return { name, state: this.#state(distance), head, latencyMs, inFlight, failures }
  }

  /** Cuts the connections. */
  close(): Promise<void> {
    return this.http.close()
  }

  #end(attempt: Attempt): void {
    attempt.hasEnded = true
    this.inFlight--
  }

  #state(distance: HeadDistance): NodeStatus['state'] {
    if (this.isRightChain === false) return 'wrong-chain'
    if (this.circuit.isOpen) return 'open'
    if (this.isRightChain === undefined) return 'unknown'
    return distance
  }

  /** True while a fast node is expected to answer its outstanding calls within `gatherMs`. */
  #isGathering(now: number): boolean {
    if (this.#smallsOut === 0 || this.#smallTook > this.#gatherMs) return false
    return now - this.#constantCostSentAt < this.#gatherMs
  }

  #flushSoon(): void {
    if (this.#isFlushDue) return
    this.#isFlushDue = true
    setImmediate(this.#sendWaiting)
  }

  #flush(): void {
    this.#isFlushDue = false
    const waiting = this.#waiting.some(hasEnded)
      ? this.#waiting.filter((one) => !one.hasEnded)
      : this.#waiting
    this.#waiting = []
    if (waiting.length > 1 && waiting.length <= this.#batchItems) {
      sendBatch(this, waiting)
      return
    }
    for (let from = 0; from < waiting.length; from += this.#batchItems) {
      const together = waiting.slice(from, from + this.#batchItems)
      const [first] = together
      if (first === undefined) return
      if (together.length === 1) {
        this.sendAlone(first)
        continue
      }
      sendBatch(this, together)
    }
  }
}

const hasEnded = (attempt: Attempt) => attempt.hasEnded

type Settings = Pick<
  PoolSettings,
  'failureWindowMs' | 'failures' | 'failureShare' | 'openMs' | 'openMaximumMs'
>

/**
 * Circuit breaker of a node. It opens when the failures within a time window are many, and a large share of
 * the calls. It stays open until a trial succeeds; the time between trials doubles after each failure. Times
 * are in milliseconds of a monotonic clock.
 */
export class Circuit {
  readonly #settings: Settings
  #windowFrom = Number.NEGATIVE_INFINITY
  #ended = 0
  #failed = 0
  #isOpen = false
  #trialAt = 0
  #waitMs = 0

  constructor(settings: Settings) {
    this.#settings = settings
  }

  /** True while calls must not go to the node. */
  get isOpen(): boolean {
    return this.#isOpen
  }

  /** When the next trial of an open circuit is due. */
  get trialAt(): number {
    return this.#trialAt
  }

  /** Counts a call that the node answered. */
  succeeded(): void {
    this.#ended++
  }

  /**
   * Counts a call that the node did not answer.
   * @returns true when this failure opened the circuit
   */
  failed(now: number): boolean {
    if (now - this.#windowFrom > this.#settings.failureWindowMs) this.#startWindow(now)
    this.#ended++
    this.#failed++
    const { failures, failureShare } = this.#settings
    if (this.#isOpen || this.#failed < failures || this.#failed < this.#ended * failureShare) return false
    this.open(now)
    return true
  }

  /** Opens the circuit, or keeps it open after a failed trial. */
  open(now: number): void {
    const { openMs, openMaximumMs } = this.#settings
    this.#waitMs = this.#isOpen ? Math.min(this.#waitMs * 2, openMaximumMs) : openMs
    this.#isOpen = true
    this.#trialAt = now + this.#waitMs
  }

  /** Closes the circuit after a successful trial. */
  close(now: number): void {
    this.#isOpen = false
    this.#startWindow(now)
  }

  #startWindow(now: number): void {
    this.#windowFrom = now
    this.#ended = 0
    this.#failed = 0
  }
}
