/** Default limits of a run. */
export const runDefaults = {
  /** Characters of a body kept in evidence. A truncated body says so. */
  evidenceBodyCharacters: 64 * 1024,
  /** Maximum base64 characters of a long body that is also kept compressed, for judging it again. */
  compressedBodyCharacters: 256 * 1024,
  /** Maximum base64 characters of all compressed bodies in a run. */
  compressedBodiesOfARunCharacters: 8 * 1024 * 1024,
  /** Characters of bodies in all evidence of a run. After that, only the beginning of each body is kept. */
  evidenceOfARunCharacters: 32 * 1024 * 1024,
  /** Characters kept of each body after that. */
  evidenceBeginningCharacters: 1024,
  /** Maximum length of an escaped secret, in characters. Redaction searches this far past a cut. */
  longestWrittenSecret: 16 * 1024,
  /** Bytes of an answer kept in memory while its case runs. */
  bytesKeptOfAnAnswer: 1024 * 1024,
  /** Exchanges of a repeated step kept from the beginning and from the end. */
  exchangesKeptAtEachEnd: 4,
  /** Findings kept for one answer. A list with ten thousand wrong items is one problem. */
  findingsOfAnAnswer: 20,
  /** Attempts of a comparison while the head moves. */
  attemptsUnderMovingHead: 3,
  /** Milliseconds for which comparisons with a head that has moved in this run share an answer about it. */
  headSharedFor: 500,
  /**
   * Blocks since a fixture was found, after which a node may have dropped the state at its block. Nodes keep the state
   * of at least 128 blocks, and the fixture may be 100 blocks old when it is found.
   */
  blocksUntilStateIsDropped: 28,
  /** Causes of failure for which a generated case is shrunk. */
  shrunkCauses: 10,
  /** Requests for shrinking one generated case. */
  shrinkRequests: 60,
  /** Milliseconds to wait after an unanswered request before probing the service again. */
  pauseBeforeAskingAgain: 1000,
  /** Size of the window of latest requests for deciding whether the service is gone. */
  latestRequests: 20,
  /** Failures within the window that end a run. Each may have cost a full timeout. */
  troublesOfLatest: 8,
  /** Number of failures that a timeout counts as. It takes long, and a silent service must end a run in minutes. */
  failuresOfATimeout: 1.6,
  /** Failures in total that end a run. */
  troublesInAll: 50,
} as const
