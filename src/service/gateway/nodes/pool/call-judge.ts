import type { NodeProblem } from '../node-problem.js'
import type { Attempt } from '../node-request.js'
import { NodePace } from './node-pace.js'
import type { NodePoolOptions } from './node-pool-options.js'
import type { PendingCall } from './pending-call.js'
import type { PoolNode } from './pool-node.js'

/** Counts failed calls against the nodes, and tells when a node begins or ceases to fail. */
export class CallJudge {
  readonly #options: Pick<NodePoolOptions, 'onDoubt' | 'onFailing'>

  constructor(options: Pick<NodePoolOptions, 'onDoubt' | 'onFailing'>) {
    this.#options = options
  }

  /**
   * Counts a failure against a node. Calls of unknown cost may be slow on a healthy node, so their delays do not count.
   * A request without an answer counts once, whatever number of calls it had.
   * @param cause for the log
   */
  failed(
    node: PoolNode,
    call: PendingCall,
    kind: NodeProblem['kind'],
    { request }: Attempt,
    cause: unknown,
  ): void {
    if (kind === 'slow' && !call.isSmall) return
    const isSilent = kind === 'slow' || kind === 'connection'
    if (isSilent && request !== undefined) {
      if (request.isCounted) return
      request.isCounted = true
      this.#options.onDoubt(node)
    }
    const now = performance.now()
    node.health.calls.failed(isSilent, now)
    this.#judge(node, now, cause)
  }

  /** Records a 429 of a node. It slows down the calls, and does not count as a failure. */
  limited(node: PoolNode, retryAfterMs: number | undefined, cause: unknown): void {
    const now = performance.now()
    const wasLimited = node.pace !== undefined
    node.pace ??= new NodePace(now, node.inFlight, node.health.calls.perSecond(now))
    node.pace.refused(retryAfterMs, now)
    if (wasLimited) return
    node.health.isLimited = true
    this.#options.onFailing(node, cause)
  }

  /**
   * Counts the internal errors of a call against the nodes that sent them, because another node has answered the call.
   * The user who started the call is remembered: the calls of one user prove nothing.
   */
  answeredElsewhere({ internalAt = [], options }: PendingCall): void {
    const user = options.callers?.userIds[0]
    if (user === undefined) return
    const now = performance.now()
    for (const node of internalAt) {
      node.health.calls.internalError(user, now)
      this.#judge(node, now, 'internal errors to calls that another node answers')
    }
  }

  #judge(node: PoolNode, now: number, cause: unknown): void {
    if (node.health.judgeCalls(now)) this.#options.onFailing(node, cause)
  }
}
