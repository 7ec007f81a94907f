import { limits } from '@concordat/node-access-contract/contract'

/**
 * Internal numbers of a node pool. Promises to callers are in the contract, and numbers for operators are in
 * the settings.
 */
export interface PoolSettings {
  /**
   * Maximum connections to a node for calls of constant cost; all other calls have as many again.
   */
  readonly connections: number
  /** Maximum connections to a node of one user, for each of the two kinds of calls; at most half of them. */
  readonly connectionsOfUser: number
  /** Timeout for opening a connection, in milliseconds. */
  readonly connectMs: number
  /** Maximum size of a node's answer, in bytes. */
  readonly answerBytes: number
  /** Time between two checks of a node, in milliseconds. */
  readonly checkEveryMs: number
  /** Minimum time between the starts of two checks of a node, in milliseconds. */
  readonly checkAgainMs: number
  /** Timeout of a check, in milliseconds. */
  readonly checkMs: number
  /** Time for which a node's head waits for the answer whether the node is syncing, in milliseconds. */
  readonly progressMs: number
  /** Relative random variation of the check interval, so that the checks of many processes spread out. */
  readonly jitter: number
  /** Length of the window in which the calls of a node are judged, in milliseconds. */
  readonly failingWindowMs: number
  /** Minimum number of calls in the window of a failing node. */
  readonly failingCalls: number
  /** Minimum share of failed calls in the window of a failing node. */
  readonly failingShare: number
  /** Number of consecutive requests without any answer that make a node failing. */
  readonly failingSilent: number
  /** Minimum number of users whose calls show that internal errors are the node's. */
  readonly internalErrorUsers: number
  /** Time before the next check of an unreachable node, in milliseconds; doubles after each failed check. */
  readonly retryMs: number
  /** Maximum time between checks of an unreachable node, in milliseconds. */
  readonly retryMaximumMs: number
  /** Maximum time that a call waits for a node to reach the agreed head, in milliseconds. */
  readonly headWaitMs: number
  /** Time after which the last remaining node of several decides the head, in milliseconds. */
  readonly headGivenUpMs: number
  /** Retention of the knowledge that a node lacks blocks or states, in milliseconds. */
  readonly lackMs: number
  /** Timeout of one attempt of a call of constant cost while another node is available, in milliseconds. */
  readonly smallTryMs: number
  /**
   * Maximum time that a call of constant cost waits for earlier answers, in milliseconds, so that calls can
   * be batched. Calls wait only if the node usually answers within this time.
   */
  readonly gatherMs: number
  /** Interval of deadline checks, in milliseconds; it limits the precision of all deadlines. */
  readonly sweepEveryMs: number
}

/** The default settings. */
export const poolSettings: PoolSettings = {
  connections: 128,
  connectionsOfUser: 32,
  connectMs: 5_000,
  answerBytes: limits.nodeAnswerBytes,
  checkEveryMs: 2_000,
  checkAgainMs: 1_000,
  checkMs: 5_000,
  progressMs: 100,
  jitter: 0.2,
  failingWindowMs: 30_000,
  failingCalls: 20,
  failingShare: 0.5,
  failingSilent: 5,
  internalErrorUsers: 3,
  retryMs: 500,
  retryMaximumMs: 5_000,
  headWaitMs: 5_000,
  headGivenUpMs: 60_000,
  lackMs: 300_000,
  smallTryMs: 2_000,
  gatherMs: 5,
  sweepEveryMs: 20,
}
