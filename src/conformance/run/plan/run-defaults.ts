/** What a run is bounded by where nobody says otherwise. */
export const runDefaults = {
  /** Characters of a body that evidence keeps; what is cut is said. */
  evidenceBodyCharacters: 64 * 1024,
  /** Characters of base64 that a longer body may take, compressed, to be kept for judging it again. */
  compressedBodyCharacters: 256 * 1024,
  /** Characters of base64 that all of them may take in a run. */
  compressedBodiesOfARunCharacters: 8 * 1024 * 1024,
  /** Characters of bodies that the evidence of a whole run keeps; beyond them only the beginning of a body is kept. */
  evidenceOfARunCharacters: 32 * 1024 * 1024,
  /** Characters of a body that are kept then. */
  evidenceBeginningCharacters: 1024,
  /** Characters that a secret may take however it is escaped: so far behind a cut is looked for it. */
  longestWrittenSecret: 16 * 1024,
  /** Bytes of an answer that are kept until it is known whether its case fails. */
  bytesKeptOfAnAnswer: 1024 * 1024,
  /** Exchanges of one step that are kept at either end when it is repeated. */
  exchangesKeptAtEachEnd: 4,
  /** Findings kept of one answer: a list of ten thousand wrong items is one thing to mend. */
  findingsOfAnAnswer: 20,
  /** Times that a comparison is tried while the head moves under it. */
  attemptsUnderMovingHead: 3,
  /** Milliseconds after a request without an answer before the service is asked whether it answers again. */
  pauseBeforeAskingAgain: 1000,
  /** Requests that are looked back at to see whether the service still answers. */
  latestRequests: 20,
  /** So many of them that came to no whole answer end a run: each may have taken all of its time. */
  troublesOfLatest: 8,
  /** The same, wherever among others. */
  troublesInAll: 50,
} as const
