/** What the server bounds. A contract states its own under `x-limits`, by the same names. */
export interface Limits {
  /** Longest body, in bytes. */
  readonly bodyBytes: number
  /** Longest request line and headers together, in bytes. */
  readonly headerBytes: number
  /** Most headers of a request; a repeated header counts each time. */
  readonly headerCount: number
  /** Most requests in a batch. */
  readonly batchItems: number
  /** Most arrays and objects open at once in a body. */
  readonly nestingDepth: number
  /** Most values and members in a body; the name of a member counts as one, its value as another. */
  readonly bodyValues: number
  /** Seconds in which a whole request must have arrived. */
  readonly requestTimeoutSeconds: number
  /** Seconds in which a caller takes some part of an answer that waits for it. */
  readonly answerStallSeconds: number
  /** Seconds that a graceful stop waits for requests in flight. */
  readonly gracefulStopSeconds: number
  /** Seconds for which a browser may keep the answer to its preflight. */
  readonly corsMaxAgeSeconds: number
}

/** The limits of a contract that states none. */
export const defaultLimits: Limits = {
  bodyBytes: 5_242_880,
  headerBytes: 16_384,
  headerCount: 1_000,
  batchItems: 100,
  nestingDepth: 64,
  bodyValues: 50_000,
  requestTimeoutSeconds: 30,
  answerStallSeconds: 30,
  gracefulStopSeconds: 10,
  corsMaxAgeSeconds: 7_200,
}
