import type { Attempt } from './attempt.js'
import { Circuit } from './circuit.js'
import { LackingData } from './lacking-data.js'
import { sendLogs } from './log-request.js'
import type { NodeAnswer } from './node-call.js'
import type { NodeProblem } from './node-problem.js'
import { type AnswerRoom, HttpNode, type RequestOwner, sendBatch, sendCall } from './node-request.js'
import { createRedact } from './node-secrets.js'
import type { NodeSettings } from './node-settings.js'
import type { NodeStatus } from './node-status.js'
import type { PoolSettings } from './pool-settings.js'

/** Where the head of a node that can be asked is: too far ahead, too far behind, or neither. */
export type HeadDistance = Extract<NodeStatus['state'], 'ahead' | 'lagging' | 'healthy'>

/** Who is told how attempts end; each is told of once. */
export interface AttemptListener {
  answered(node: PoolNode, attempt: Attempt, answer: NodeAnswer): void
  failed(node: PoolNode, attempt: Attempt, problem: NodeProblem): void
}

/**
 * One node of the pool: its connections, what is known of its health and of its dialect, and the calls that wait to
 * travel to it. Calls of constant cost wait for the end of the event loop's turn, and while a fast node answers those
 * before them, and travel together; all others leave at once, each by itself.
 */
export class PoolNode implements RequestOwner {
  readonly name: string
  readonly weight: number
  readonly timeoutMs: number
  readonly answerBytes: number
  readonly answerRoom: AnswerRoom
  readonly circuit: Circuit
  /** Takes the node's address and credentials out of a text. */
  readonly redact: (text: string) => string
  /** Whether the node is of the right network; undefined before it said. */
  isRightChain: boolean | undefined
  /** Whether it answered the last check. */
  isAnswering = false
  /** Number of its most recent block; -1 before it told any. */
  head = -1
  /** When it told that, by a clock that does not go back, in milliseconds. */
  headToldAt = 0
  /** Whether it agreed with the head that was decided last. */
  agrees = true
  /** What it was found to lack. */
  readonly lacks = new LackingData()
  /** Hash of that block, where it is known. */
  headHash: string | undefined
  /** How long its answers to checks take, in milliseconds; undefined before the first. */
  latencyMs: number | undefined
  /** Attempts that wait for an answer. */
  inFlight = 0
  /** Forms of calls that it refused. */
  readonly refuses = new Set<string>()
  /** Calls that it failed. */
  failures = 0
  /** Calls that it was asked. */
  calls = 0
  readonly http: HttpNode
  readonly #batchItems: number
  readonly #listener: AttemptListener
  #waiting: Attempt[] = []
  #isFlushDue = false
  readonly #sendWaiting = () => this.#flush()
  readonly #gatherMs: number
  /** Requests of calls of constant cost that are under way. */
  #smallsOut = 0
  /** When the last of them was sent, by a clock that does not go back, in milliseconds. */
  #smallSentAt = 0
  /** How long the last one took that ended, in milliseconds. */
  #smallTook = Number.POSITIVE_INFINITY
  #takesBatches = true
  #lastId = 0

  /**
   * @param batchItems calls that travel to the node as one batch, at most
   * @param answerRoom where the large answers of all nodes that are being read have to fit
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

  /** A new name for a call to the node. */
  nextId(): number {
    return ++this.#lastId
  }

  /** Whether the node is asked, as far as its network and its failures go. */
  get isUsable(): boolean {
    return this.isRightChain === true && !this.circuit.isOpen
  }

  /** Whether the node may be asked where no other can be: calls fail, but it answers checks. */
  get isLastResort(): boolean {
    return this.isRightChain === true && this.circuit.isOpen && this.isAnswering
  }

  /** Forgets the node's dialect: another node may answer there now. */
  forgetDialect(): void {
    this.#takesBatches = true
    this.refuses.clear()
  }

  /** Asks the node; the listener is told how that ends. */
  ask(attempt: Attempt): void {
    this.inFlight++
    this.calls++
    if (!attempt.call.isSmall || !this.#takesBatches) this.sendAlone(attempt)
    else if (this.#waiting.push(attempt) >= this.#batchItems || !this.#isGathering(attempt.startedAt))
      this.#flushSoon()
  }

  /** Sends what has waited for other answers too long; to be called from time to time. */
  hurry(now: number): void {
    if (this.#waiting.length > 0 && !this.#isGathering(now)) this.#flushSoon()
  }

  smallSent(sentAt: number): void {
    this.#smallsOut++
    this.#smallSentAt = sentAt
  }

  smallEnded(sentAt: number): void {
    this.#smallsOut--
    this.#smallTook = performance.now() - sentAt
    if (this.#waiting.length > 0) this.#flushSoon()
  }

  /** Ends an attempt whose answer nobody waits for any more. */
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
   * How the node does.
   * @param distance whether its head is too far from the network's
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

  /** True while a fast node is about to answer calls before those that wait. */
  #isGathering(now: number): boolean {
    if (this.#smallsOut === 0 || this.#smallTook > this.#gatherMs) return false
    return now - this.#smallSentAt < this.#gatherMs
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
