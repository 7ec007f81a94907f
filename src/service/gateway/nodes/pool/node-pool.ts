import { failure } from '@concordat/node-access-contract/errors'
import type { JsonValue } from '@concordat/rpc'
import { nodeCall } from '../../profiles/index.js'
import type { OlderData, ReportedHead } from '../head-of-call.js'
import { matchesRequest, neededHead, reportedHead } from '../head-of-call.js'
import type { NodeAnswer, NodeCallOptions, NodeError } from '../node-call.js'
import { failureOf, isUnusableAnswer, type NodeProblem } from '../node-problem.js'
import { Attempt } from '../node-request.js'
import type { NetworkReadiness, NodeCallEvent, NodeStatus } from '../node-status.js'
import { CallJudge } from './call-judge.js'
import { CallsInFlight } from './calls-in-flight.js'
import { ChainHead } from './chain-head.js'
import { readErrorMeaning } from './error-meaning.js'
import { readinessOf } from './node-health.js'
import type { NodePoolOptions } from './node-pool-options.js'
import { chooseNode, isBetterElsewhere, mayShow, PendingCall, shareMs } from './pending-call.js'
import { type AttemptListener, PoolNode } from './pool-node.js'

/** The answer when every node has refused this form of the call before. */
const noNodeTakesIt: NodeAnswer = {
  error: { code: -32601, message: 'no node accepts this form of the call' },
}

/**
 * Sends calls to the nodes of a network. A call tries one node after another, each once, until one answers.
 * After a broken connection or an unusable answer, the last node is retried once; a transaction only after a broken
 * connection. A node whose attempt ended early in favour of another one is asked again when that one fails. Every call
 * ends by its deadline.
 */
export class NodePool implements AttemptListener {
  readonly nodes: readonly PoolNode[]
  readonly head: ChainHead
  readonly #options: NodePoolOptions
  readonly #judge: CallJudge
  readonly #inFlight = new CallsInFlight()
  readonly #waiting = new Set<PendingCall>()
  readonly #sweep = () => this.#checkDeadlines()
  #sweepTimer: NodeJS.Timeout | undefined
  #turn = 0
  #isClosed = false

  constructor(options: NodePoolOptions) {
    this.#options = options
    const { settings, batchItems, lagBlocks, answerRoom: room, onDoubt, onFailing } = options
    this.nodes = options.nodes.map(
      (node) => new PoolNode(node, settings, batchItems, room, this, options.onDropped?.(node.name)),
    )
    this.head = new ChainHead({ nodes: this.nodes, lagBlocks, givenUpMs: settings.headGivenUpMs })
    this.#judge = new CallJudge({
      onDoubt,
      onFailing: (node, cause) => {
        this.decide()
        onFailing(node, cause)
      },
    })
  }

  /**
   * Calls a method of the network. Rejects with an RpcError when no node answered, and with the signal's
   * reason when the signal aborts.
   */
  call(method: string, params: readonly JsonValue[], options: NodeCallOptions): Promise<NodeAnswer> {
    return new Promise((resolve, reject) => {
      const profile = this.#options.profileOf(method)
      const expiresAt = (options.since ?? performance.now()) + this.#options.timeoutMs
      this.#next(new PendingCall(method, params, options, profile, expiresAt, resolve, reject))
    })
  }

  /** Calls exactly one node, regardless of its health, without retries or batches. A check has no `callers`. */
  callNode(
    node: PoolNode,
    method: string,
    params: readonly JsonValue[],
    timeoutMs: number,
    options: Pick<NodeCallOptions, 'callers' | 'signal' | 'keepPlace'> = {},
  ): Promise<NodeAnswer> {
    return new Promise((resolve, reject) => {
      const now = performance.now()
      const expiresAt = now + timeoutMs
      const profile = this.#options.profileOf(method)
      const call = new PendingCall(method, params, options, profile, expiresAt, resolve, reject)
      call.isPinned = true
      call.isSmall = false
      call.tried.push(node)
      this.#ask(call, node, now, expiresAt)
    })
  }

  /**
   * Records a block that a node reported.
   * @param askedAt when the node was asked, in milliseconds of a monotonic clock
   */
  learn(node: PoolNode, reported: ReportedHead, askedAt: number): void {
    if (node.recordHead(reported, askedAt)) this.decide()
  }

  /** Updates the agreed head and retries the waiting calls. To be called after each change of a node. */
  decide(): void {
    if (this.head.decide(performance.now())) this.#options.onNeed()
    this.wake()
  }

  /** Forgets the head of a node that has turned out to be on another network. */
  forgetHead(node: PoolNode): void {
    node.forgetHead()
    this.head.begin(undefined)
    this.decide()
  }

  /** Tries again to find nodes for the waiting calls, also for those that wait for a turn at an unusable node. */
  wake(): void {
    for (const call of this.#inFlight.leaveQueues(this.nodes, this.#isClosed)) this.#next(call)
    if (this.#waiting.size === 0) return
    const calls = [...this.#waiting]
    this.#waiting.clear()
    for (const call of calls) this.#next(call)
  }

  /** Returns the status of each node. */
  status(): readonly NodeStatus[] {
    return this.nodes.map((node) => node.status())
  }

  /** Returns how the network is served. */
  readiness(): NetworkReadiness {
    return readinessOf(this.nodes.map(({ health }) => health))
  }

  /** Closes the connections and rejects the calls that wait for a node. */
  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#sweepTimer)
    this.wake()
    await Promise.all(this.nodes.map((node) => node.close()))
  }

  answered(node: PoolNode, attempt: Attempt, answer: NodeAnswer): void {
    const call = this.#ended(node, attempt, answer.error === undefined ? 'result' : 'error')
    if (call === undefined) return
    if (answer.error !== undefined) {
      if (!call.isPinned) node.health.calls.answered()
      this.#refused(call, node, answer.error)
      return
    }
    const { method, params, profile } = call
    const given = answer.result
    const result = given === null ? null : this.#normalised(call, given, node)
    if (result === undefined) {
      this.#attemptFailed(node, call, { kind: 'result', result: given }, attempt)
      return
    }
    if (!call.isPinned) node.health.calls.answered()
    const reported = call.isPinned ? undefined : reportedHead(profile.about, params, given)
    if (reported !== undefined) {
      this.learn(node, reported, attempt.startedAt)
      if (!mayShow(call, reported, result, this.head)) {
        this.#next(call)
        return
      }
    }
    if (result === null && this.#mayLack(call, 'block')) {
      this.#lacks(call, node, answer)
      return
    }
    if (!call.isPinned) this.#options.inspect?.(node.name, method, result)
    this.#settle(call, result === given ? answer : { result })
  }

  /** Normalises a result. Returns undefined if it is about another object, or not a result of the method. */
  #normalised({ method, params, profile, isPinned }: PendingCall, given: JsonValue, node: PoolNode) {
    if (!matchesRequest(profile.about, params, given)) return undefined
    return this.#options.normalise(method, params, given, isPinned ? undefined : node.onDropped)
  }

  failed(node: PoolNode, attempt: Attempt, problem: NodeProblem): void {
    const call = this.#ended(node, attempt, 'failed')
    if (call !== undefined) this.#attemptFailed(node, call, problem, attempt)
  }

  #next(call: PendingCall): void {
    const { technique, signal } = call.options
    if (signal?.aborted === true) {
      call.reject(signal.reason)
      return
    }
    if (this.#isClosed) {
      call.reject(failure('noNode', { cause: 'the connections to the nodes were closed' }))
      return
    }
    const now = performance.now()
    if (now >= call.expiresAt) {
      this.#giveUp(call)
      return
    }
    const { head } = this
    const nodes =
      technique === undefined ? this.nodes : this.nodes.filter(({ refuses }) => !refuses.has(technique))
    if (nodes.length === 0) {
      call.resolve(call.refusal ?? noNodeTakesIt)
      return
    }
    const needed = neededHead(call.profile.about, call.params, head.number)
    const node = chooseNode(nodes, call, needed, this.#turn++, now)
    if (node === undefined) {
      this.#waitOrGiveUp(call, nodes, needed, now)
      return
    }
    this.#try(call, node, now)
  }

  /** Tries a node that has not been tried yet. */
  #try(call: PendingCall, node: PoolNode, now: number): void {
    call.tried.push(node)
    const rest = call.expiresAt - now
    const most = Math.min(node.timeoutMs, rest)
    const reserve = most - shareMs(call, rest, this.#options.settings.smallTryMs)
    this.#ask(call, node, now, now + most, this.nodes.length > 1 ? reserve : 0)
  }

  #ask(call: PendingCall, node: PoolNode, now: number, expiresAt: number, reserveMs = 0): void {
    const attempt = new Attempt(call, node.nextId(), now, expiresAt, reserveMs)
    this.#inFlight.add(call, attempt)
    node.pace?.started(now)
    call.mayRepeat = false
    this.#sweepSoon()
    node.ask(attempt)
  }

  /** Handles a call without an untried node: it waits for a node, asks one again, or gives up. */
  #waitOrGiveUp(call: PendingCall, nodes: readonly PoolNode[], needed: number, now: number): void {
    call.waitsUntil = call.waitOf(nodes, needed, now, this.#options.settings.headWaitMs)
    if (now < call.waitsUntil) {
      this.#waiting.add(call)
      this.#sweepSoon()
      this.#options.onNeed()
      return
    }
    const again = call.nodeToRepeat()
    if (again !== undefined) {
      call.tried.push(again)
      this.#ask(call, again, now, Math.min(call.expiresAt, now + again.timeoutMs))
      return
    }
    this.#options.onNeed()
    this.#giveUp(call)
  }

  #giveUp(call: PendingCall): void {
    const states = () =>
      this.status().map(({ name, state, head }) => `${name}: ${state}, block ${head ?? 'unknown'}`)
    if (call.unconfirmed !== undefined) call.resolve(call.unconfirmed)
    else if (call.failure !== undefined) call.reject(call.failure)
    else if (call.refusal !== undefined) call.resolve(call.refusal)
    else call.reject(failure('noNode', { cause: { nodes: states() } }))
  }

  /** Handles an error from a node: it is the answer, unless another node may succeed. */
  #refused(call: PendingCall, node: PoolNode, given: NodeError): void {
    const { error, isForAnother, isReadRefused, isInternal, isOwn } = readErrorMeaning(
      given,
      call.options,
      node,
    )
    const answer: NodeAnswer = call.tried.length > 1 ? { error, isRepeated: true } : { error }
    if (isInternal && (isForAnother || isReadRefused) && !call.isPinned) {
      call.internalAt ??= []
      call.internalAt.push(node)
    }
    if (call.isPinned) call.resolve(answer)
    else if (isForAnother && call.options.logs?.restart() !== false) this.#tryNext(call, answer)
    else if (this.#mayLack(call, 'state') && !isOwn) this.#checkState(call, node, answer, isReadRefused)
    else if (isReadRefused) this.#tryNext(call, answer)
    else this.#settle(call, answer)
  }

  /** Ends a call with the answer of a node. */
  #settle(call: PendingCall, answer: NodeAnswer): void {
    if (call.internalAt !== undefined) this.#judge.answeredElsewhere(call)
    call.resolve(answer)
  }

  /** Tries the next node, and keeps this answer in case all other nodes fail. */
  #tryNext(call: PendingCall, answer: NodeAnswer): void {
    call.refusal = answer
    this.#next(call)
  }

  /** True when another node may have the older data that this node seems to lack. */
  #mayLack({ older, isPinned }: PendingCall, kind: OlderData['kind']): boolean {
    if (older?.kind !== kind || isPinned || this.nodes.length === 1) return false
    return older.number === undefined || older.number <= this.head.number
  }

  /** Checks with a second call whether a node has the state of the block. An error means that it does not. */
  #checkState(call: PendingCall, node: PoolNode, answer: NodeAnswer, isForAnother: boolean): void {
    const [method, params] = nodeCall('stateProbe', { state: call.older?.selector ?? null })
    const { callers, signal, keepPlace } = call.options
    const options = { callers, signal, keepPlace }
    this.callNode(node, method, params, call.expiresAt - performance.now(), options).then(
      ({ error }) => {
        if (error !== undefined) this.#lacks(call, node, answer)
        else if (isForAnother) this.#tryNext(call, answer)
        else this.#settle(call, answer)
      },
      (reason) => {
        call.failure = reason
        this.#next(call)
      },
    )
  }

  /**
   * Remembers that a node lacks the data of a call, and tries the next node. Recent blocks are not
   * remembered, because the node may still receive them.
   */
  #lacks(call: PendingCall, node: PoolNode, answer: NodeAnswer): void {
    const { lagBlocks, settings } = this.#options
    if (call.older !== undefined)
      node.lacks.remember(call.older, this.head.number - lagBlocks, settings.lackMs)
    this.#tryNext(call, answer)
  }

  #attemptFailed(node: PoolNode, call: PendingCall, problem: NodeProblem, attempt: Attempt): void {
    const error = failureOf(node.name, problem, node.redact)
    node.failures++
    if (problem.kind === 'limited') this.#judge.limited(node, problem.retryAfterMs, error.cause)
    if (call.isPinned || call.options.logs?.restart() === false) {
      call.reject(error)
      return
    }
    // The node has not processed the call, and may receive it again when its limit allows.
    if (problem.kind === 'limited') call.tried.pop()
    else this.#judge.failed(node, call, problem.kind, attempt, error.cause)
    call.failure = error
    const isUnusable = call.options.once !== true && isUnusableAnswer(problem)
    call.mayRepeat = isUnusable || problem.kind === 'connection'
    this.#next(call)
  }

  /** Removes an attempt from the calls in flight, and reports its outcome. */
  #ended(node: PoolNode, attempt: Attempt, outcome: NodeCallEvent['outcome']): PendingCall | undefined {
    const call = this.#inFlight.remove(attempt)
    attempt.span?.end(outcome)
    const { observe } = this.#options
    if (call === undefined || observe === undefined) return call
    const { batched, startedAt } = attempt
    const milliseconds = performance.now() - startedAt
    observe({ node: node.name, method: call.method, outcome, milliseconds, batched })
    return call
  }

  #checkDeadlines(): void {
    this.#sweepTimer = undefined
    const now = performance.now()
    for (const call of this.#inFlight.all()) {
      const { attempt } = call
      const { signal } = call.options
      const node = call.tried.at(-1)
      if (node === undefined || attempt === undefined) continue
      const isMoved = isBetterElsewhere(this.nodes, call, attempt, node, this.head.number, now)
      if (signal?.aborted !== true && now < attempt.expiresAt && !isMoved) continue
      const { isQueued } = attempt
      if (isMoved) {
        call.cutShort ??= []
        call.cutShort.push(node)
      }
      node.abandon(attempt)
      const problem: NodeProblem = { kind: 'slow', milliseconds: Math.round(now - attempt.startedAt) }
      if (signal?.aborted === true) {
        this.#inFlight.remove(attempt)
        attempt.span?.end('failed')
        call.leave(signal.reason, isQueued ? undefined : attempt.request)
      } else if (isQueued) {
        // The node was not asked, so it has not failed.
        this.#inFlight.remove(attempt)
        call.failure ??= failureOf(node.name, problem, node.redact)
        this.#giveUp(call)
      } else this.failed(node, attempt, problem)
    }
    for (const node of this.nodes) node.sendOverdue(now)
    if (this.nodes.length > 1)
      this.#inFlight.spread(this.nodes, this.head, now, (call, node) => this.#try(call, node, now))
    for (const call of this.#waiting) {
      const { signal } = call.options
      if (signal?.aborted !== true && now < call.waitsUntil) continue
      this.#waiting.delete(call)
      this.#next(call)
    }
    if (this.#inFlight.size + this.#waiting.size > 0) this.#sweepSoon()
  }

  #sweepSoon(): void {
    this.#sweepTimer ??= setTimeout(this.#sweep, this.#options.settings.sweepEveryMs)
  }
}
