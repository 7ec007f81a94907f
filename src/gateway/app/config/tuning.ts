/**
 * How a process divides its work and memory. Callers do not observe these numbers, so they are settings of the service
 * and no promises of the contract.
 */
export const tuningDefaults = {
  /** Requests in the first lease of a limit. */
  leaseRequests: 100,
  /** Requests in the largest lease: a lease that is used up within `leaseIdleSeconds` doubles the next one. */
  leaseRequestsMost: 800,
  /** Percent of a lease that is left when the process asks for the next one. */
  leaseRefillPercent: 25,
  /** Seconds after which an idle lease goes back where several processes share the database. */
  leaseIdleSeconds: 1,
  /** Seconds after which an idle lease goes back where no other process shares the database. */
  leaseIdleAloneSeconds: 60,
  /** Milliseconds for which a process asks again before its first refusal, while other processes hold leases. */
  leaseAskAgainMilliseconds: 1_200,
  /** Seconds after which the count of used requests is written where several processes share the database. */
  usedFlushSeconds: 1,
  /** Seconds after which it is written where no other process reads it. */
  usedFlushAloneSeconds: 10,
  /** Seconds after which usage is written: a killed process loses as much of the statistics. */
  usageFlushSeconds: 10,
  /** Bytes of all request bodies over 16 KiB that a process reads and works on at once. */
  bodyBytesAtOnce: 134_217_728,
  /** Bytes of all answers over 64 KiB that a process holds until their callers have taken them. */
  answerBytesAtOnce: 268_435_456,
  /** Calls of one batch that run at once. */
  batchCallsAtOnce: 32,
  /** Requests of all users that wait in a process. */
  queuedRequests: 10_000,
  /** Bytes of the bodies of all requests that wait in a process. */
  queuedBytes: 134_217_728,
  /** Calls that travel to a node as one batch. */
  nodeBatchItems: 50,
  /** Blocks that a node's head may differ from the agreed head; a node further away is not asked. */
  nodeLagBlocks: 6,
}

/** The tuning of a process, by the names and units of {@link tuningDefaults}. */
export type Tuning = Readonly<typeof tuningDefaults>
