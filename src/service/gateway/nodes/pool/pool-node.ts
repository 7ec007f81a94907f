import type { FairLimiter } from '@concordat/server'
import type { OnDropped } from '../answers/dropped-members.js'
import { LackingData } from '../answers/lacking-data.js'
import { sendLogs } from '../answers/log-request.js'
import type { ReportedHead } from '../head-of-call.js'
import { HttpNode } from '../http-node.js'
import type { NodeAnswer } from '../node-call.js'
import type { NodeProblem } from '../node-problem.js'
import {
  type Attempt,
  isShortCall,
  type NodeRequest,
  type RequestOwner,
  sendBatch,
  sendCall,
} from '../node-request.js'
import { createRedact } from '../node-secrets.js'
import type { NodeSettings } from '../node-settings.js'
import type { NodeStatus } from '../node-status.js'
import { NodeHealth } from './node-health.js'
import type { NodePace } from './node-pace.js'
import type { PoolSettings } from './pool-settings.js'
import { UserTurns } from './user-turns.js'

/** Receives the outcome of attempts, once for each attempt. */
export interface AttemptListener {
  answered(node: PoolNode, attempt: Attempt, answer: NodeAnswer): void
  failed(node: PoolNode, attempt: Attempt, problem: NodeProblem): void
}

/**
 * One node of the pool: its connections, health, known limitations, and queued calls. Calls of constant cost
 * are batched: they wait for the end of the event loop's turn, or for a fast node's outstanding answers. All
 * other calls leave at once, each in a request of its own. When connections get scarce, users take turns.
 */
export class PoolNode implements RequestOwner {
  readonly name: string
  readonly weight: number
  readonly timeoutMs: number
  readonly answerBytes: number
  readonly answerRoom: FairLimiter
  readonly onDropped: OnDropped | undefined
  readonly health: NodeHealth
  /** Removes the node's address and credentials from a text. */
  readonly redact: (text: string) => string
  /** Rank in the choice of a node for a call; lower is better. */
  rank = 0
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
  /** Number of attempts that wait for an answer or for their turn. */
  inFlight = 0
  /** Forms of calls that the node refused, such as state overrides. */
  readonly refuses = new Set<string>()
  /** Number of calls that the node failed. */
  failures = 0
  /** Limits the rate of calls; undefined unless the node has recently answered 429. */
  pace: NodePace | undefined
  readonly http: HttpNode
  readonly #batchItems: number
  readonly #listener: AttemptListener
  /** The connections for calls of constant cost, and those for all other calls. */
  readonly #shortTurns: UserTurns
  readonly #otherTurns: UserTurns
  /** Calls that are gathered for a batch. */
  #gathered: Attempt[] = []
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
   * @param onDropped receives the members that are removed from its results
   */
  constructor(
    node: NodeSettings,
    settings: PoolSettings,
    batchItems: number,
    answerRoom: FairLimiter,
    listener: AttemptListener,
    onDropped?: OnDropped,
  ) {
    this.answerRoom = answerRoom
    this.onDropped = onDropped
    this.name = node.name
    this.weight = node.weight
    this.timeoutMs = node.timeoutMs
    this.answerBytes = settings.answerBytes
    this.health = new NodeHealth(settings)
    this.redact = createRedact(node.url, node.headers)
    this.http = new HttpNode(node, settings)
    this.#shortTurns = new UserTurns(settings.connections, settings.connectionsOfUser)
    this.#otherTurns = new UserTurns(settings.connections, settings.connectionsOfUser)
    this.#batchItems = batchItems
    this.#gatherMs = settings.gatherMs
    this.#listener = listener
  }

  /** Returns a new id for a call to the node. */
  nextId(): number {
    return ++this.#lastId
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
    if (!attempt.call.isSmall || !this.#takesBatches) this.sendAlone(attempt)
    else if (this.#gathered.push(attempt) >= this.#batchItems || !this.#isGathering(attempt.startedAt))
      this.#flushSoon()
  }

  /** Sends gathered calls that have waited too long. To be called periodically. */
  sendOverdue(now: number): void {
    if (this.#gathered.length > 0 && !this.#isGathering(now)) this.#flushSoon()
  }

  sent(request: NodeRequest): void {
    const [first] = request.attempts
    if (first === undefined || isCheck(first)) return
    this.#turnsOf(first).sent(request)
    if (!first.call.isSmall) return
    this.#smallsOut++
    this.#constantCostSentAt = request.sentAt
  }

  ended(request: NodeRequest): void {
    const [first] = request.attempts
    if (first === undefined || isCheck(first)) return
    this.#turnsOf(first).ended(request)
    if (first.call.isSmall) {
      this.#smallsOut--
      this.#smallTook = performance.now() - request.sentAt
    }
    if (this.#gathered.length + this.waiting > 0) this.#flushSoon()
  }

  /** Number of attempts that wait for a turn of their user. */
  get waiting(): number {
    return this.#shortTurns.waiting + this.#otherTurns.waiting
  }

  /** The attempts that wait for their turn, by user. */
  queues(): readonly (readonly Attempt[])[] {
    return [...this.#shortTurns.queues(), ...this.#otherTurns.queues()]
  }

  /** True when an attempt that waits at another node could start here now. */
  hasTurnFor(attempt: Attempt): boolean {
    return this.#gathered.length < this.#batchItems && this.#turnsOf(attempt).hasTurnFor(attempt)
  }

  /**
   * Ends an attempt whose caller has disconnected, whose deadline has passed, or whose call goes to another node. A request that
   * was sent keeps its connection until the node answers, or until the deadline.
   */
  abandon(attempt: Attempt): void {
    this.#end(attempt)
    if (attempt.isQueued) this.#turnsOf(attempt).remove(attempt)
    else attempt.request?.leave()
  }

  sendAlone(attempt: Attempt): void {
    attempt.isAlone = true
    const turns = this.#turnsOf(attempt)
    if (turns.isFree || isCheck(attempt)) {
      this.#send([attempt])
      return
    }
    turns.add(attempt)
    this.#flushSoon()
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

  /** Returns the status of the node. */
  status(): NodeStatus {
    const { name, latencyMs, inFlight, failures } = this
    const head = this.head < 0 ? undefined : BigInt(this.head)
    return { name, state: this.health.state, head, latencyMs, inFlight, failures }
  }

  /** Cuts the connections. */
  close(): Promise<void> {
    return this.http.close()
  }

  #end(attempt: Attempt): void {
    attempt.hasEnded = true
    this.inFlight--
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
    const gathered = this.#gathered.some(hasEnded)
      ? this.#gathered.filter((one) => !one.hasEnded)
      : this.#gathered
    this.#gathered = []
    const turns = this.#shortTurns
    const most = this.#takesBatches ? this.#batchItems : 1
    if (gathered.length > 0 && gathered.length <= most && turns.isFree) this.#send(gathered)
    else for (const attempt of gathered) turns.add(attempt)
    for (const attempts of turns.take(most)) this.#send(attempts)
    for (const attempts of this.#otherTurns.take(1)) this.#send(attempts)
  }

  #send(attempts: readonly Attempt[]): void {
    const [first] = attempts
    if (first === undefined) return
    const { logs } = first.call.options
    if (attempts.length > 1) sendBatch(this, attempts)
    else if (logs === undefined) sendCall(this, first)
    else sendLogs(this, first, logs)
  }

  #turnsOf({ call }: Attempt): UserTurns {
    return isShortCall(call) ? this.#shortTurns : this.#otherTurns
  }
}

/** True for an attempt of a check, which needs no turn. */
const isCheck = ({ call }: Attempt) => call.isPinned && call.options.callers === undefined

const hasEnded = (attempt: Attempt) => attempt.hasEnded
