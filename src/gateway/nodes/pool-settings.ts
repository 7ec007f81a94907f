/** Internal numbers of a pool of nodes: promises to callers are in the contract, what operators change is in the settings. */
export interface PoolSettings {
  /** Connections to one node for calls of constant cost and checks, and as many more for all other calls. */
  readonly connections: number
  /** Time within which a connection has to be made, in milliseconds. */
  readonly connectMs: number
  /** The largest answer of a node that is read, in bytes. */
  readonly answerBytes: number
  /** Answers of all nodes together that are being read, in bytes, those of eth_getLogs and small ones not counted. */
  readonly answerBytesAtOnce: number
  /** Time between two checks of a node, in milliseconds. */
  readonly checkEveryMs: number
  /** Shortest time between the starts of two checks of a node, in milliseconds, whatever the reason. */
  readonly checkAgainMs: number
  /** Time that a check may take, in milliseconds. */
  readonly checkMs: number
  /** Part by which the time between checks varies, so that the checks of many processes do not meet. */
  readonly jitter: number
  /** Failures are counted over this time, in milliseconds. */
  readonly failureWindowMs: number
  /** A node with so many failures within the window is not asked for a while … */
  readonly failures: number
  /** … when they are at least this part of its calls. */
  readonly failureShare: number
  /** Time until a failing node is tried again, in milliseconds; twice as long after each trial that fails … */
  readonly openMs: number
  /** … up to this. */
  readonly openMaximumMs: number
  /** Time that a call waits for a node to reach the most recent block that was told, in milliseconds. */
  readonly headWaitMs: number
  /** Time after which one node that is left of several decides the head, in milliseconds. */
  readonly headGivenUpMs: number
  /** Time for which the blocks and states that a node lacks are remembered, in milliseconds. */
  readonly lackMs: number
  /** Time that a call of constant cost gets with one node, in milliseconds, while another one can be asked. */
  readonly smallTryMs: number
  /**
   * A call of constant cost waits this long, in milliseconds, for the answer to those before it, so that what comes
   * meanwhile travels with it: where the node answers that fast.
   */
  readonly gatherMs: number
  /** How often deadlines are looked after, in milliseconds; none is kept more exactly. */
  readonly sweepEveryMs: number
}

/** The numbers in force. */
export const poolSettings: PoolSettings = {
  connections: 32,
  connectMs: 5_000,
  answerBytes: 8 * 1024 * 1024,
  answerBytesAtOnce: 128 * 1024 * 1024,
  checkEveryMs: 2_000,
  checkAgainMs: 1_000,
  checkMs: 5_000,
  jitter: 0.2,
  failureWindowMs: 10_000,
  failures: 5,
  failureShare: 0.5,
  openMs: 500,
  openMaximumMs: 5_000,
  headWaitMs: 5_000,
  headGivenUpMs: 60_000,
  lackMs: 300_000,
  smallTryMs: 2_000,
  gatherMs: 5,
  sweepEveryMs: 20,
}
