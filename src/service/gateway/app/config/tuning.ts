import type { SettingSchema, ValueOf } from './setting-schema.js'

/**
 * How a process divides its work and memory. Callers do not observe these numbers, so they are settings of the service
 * and no promises of the contract.
 */
export const tuningSchema = {
  description: 'Work and memory of a process. Callers cannot observe these numbers.',
  type: 'object',
  additionalProperties: false,
  default: {},
  properties: {
    leaseRequests: {
      description: 'Requests in the first lease of a limit.',
      type: 'integer',
      minimum: 1,
      maximum: 100_000,
      default: 100,
      examples: [50],
      'x-unit': 'requests',
    },
    leaseRequestsMost: {
      description:
        'Requests in the largest lease where `leaseSeconds` does not apply. A lease used up within a second doubles the next one.',
      type: 'integer',
      minimum: 1,
      maximum: 1_000_000,
      default: 800,
      examples: [400],
      'x-unit': 'requests',
    },
    leaseSeconds: {
      description:
        "Length of a lease at the user's present rate, and the rest at which the next one is requested, while over 2,000 requests are left. The rate is measured each second.",
      type: 'integer',
      minimum: 0,
      maximum: 3_600,
      default: 30,
      examples: [60],
      'x-unit': 'seconds',
    },
    leaseRefillPercent: {
      description:
        'Remaining part of a lease at which the process requests the next lease, where `leaseSeconds` does not apply.',
      type: 'integer',
      minimum: 0,
      maximum: 100,
      default: 25,
      examples: [50],
      'x-unit': 'percent',
    },
    leaseIdleSeconds: {
      description:
        'Time after which an idle lease is returned, if several processes share the database. With over 2,000 requests left, it is kept for three usual pauses of its user, at first for twelve times this.',
      type: 'number',
      minimum: 0.1,
      maximum: 3_600,
      default: 5,
      examples: [0.5],
      'x-unit': 'seconds',
    },
    leaseIdleAloneSeconds: {
      description: 'Time after which an idle lease is returned, if no other process shares the database.',
      type: 'number',
      minimum: 0.1,
      maximum: 3_600,
      default: 60,
      examples: [10],
      'x-unit': 'seconds',
    },
    leaseAskAgainMilliseconds: {
      description: 'Time of retries before the first refusal, while other processes have leases.',
      type: 'integer',
      minimum: 0,
      maximum: 60_000,
      default: 1_200,
      examples: [2_000],
      'x-unit': 'milliseconds',
    },
    usedFlushSeconds: {
      description:
        'Interval for writing the number of used requests, if several processes share the database.',
      type: 'number',
      minimum: 0.1,
      maximum: 60,
      default: 1,
      examples: [5],
      'x-unit': 'seconds',
    },
    usedFlushAloneSeconds: {
      description:
        'Interval for writing the number of used requests, if no other process shares the database.',
      type: 'number',
      minimum: 0.1,
      maximum: 60,
      default: 10,
      examples: [5],
      'x-unit': 'seconds',
    },
    usageFlushSeconds: {
      description: 'Interval for writing usage. A killed process loses the usage of at most this time.',
      type: 'number',
      minimum: 0.1,
      maximum: 600,
      default: 10,
      examples: [1],
      'x-unit': 'seconds',
    },
    memoryPercent: {
      description:
        'Part of the heap for the bodies, logs and answers of all requests. docs/reliability.md describes its shares.',
      type: 'integer',
      minimum: 5,
      maximum: 50,
      default: 25,
      examples: [30],
      'x-unit': 'percent',
    },
    batchCallsAtOnce: {
      description: 'Concurrent calls of one batch.',
      type: 'integer',
      minimum: 1,
      maximum: 1_000,
      default: 32,
      examples: [16],
      'x-unit': 'calls',
    },
    compressionsAtOnce: {
      description:
        'Large answers that are compressed with gzip at once, one for each user. 0 leaves compression to a proxy.',
      type: 'integer',
      minimum: 0,
      maximum: 64,
      default: 2,
      examples: [0],
      'x-unit': 'answers',
    },
    queuedRequests: {
      description: 'Queued requests of all users. Further requests are refused with 503.',
      type: 'integer',
      minimum: 1,
      maximum: 1_000_000,
      default: 10_000,
      examples: [5_000],
      'x-unit': 'requests',
    },
    logBytesPerMinute: {
      description:
        'Bytes of the log in a minute; lines below `warn` have half of them. Further lines are left out and counted. Not at `debug` and `trace`.',
      type: 'integer',
      minimum: 10_000,
      maximum: 1_000_000_000,
      default: 1_048_576,
      examples: [100_000],
      'x-unit': 'bytes',
    },
    nodeBatchItems: {
      description: 'Maximum number of calls in one batch to a node.',
      type: 'integer',
      minimum: 1,
      maximum: 1_000,
      default: 50,
      examples: [20],
      'x-unit': 'calls',
    },
    nodeLagBlocks: {
      description:
        'Maximum distance in blocks between the head of a node and the agreed head. A node further away is behind or ahead.',
      type: 'integer',
      minimum: 0,
      maximum: 10_000,
      default: 6,
      examples: [2],
      'x-unit': 'blocks',
    },
    nodeStaleSeconds: {
      description:
        'Age of the head block above which a node is stale, 0 for never. Embedded development chains are never stale.',
      type: 'integer',
      minimum: 0,
      maximum: 31_536_000,
      default: 600,
      examples: [1_800],
      'x-unit': 'seconds',
    },
    httpParser: {
      description:
        "Parser of plain HTTP requests: the fast lane, or Node's parser for all requests. Answers are the same.",
      type: 'string',
      enum: ['fast-lane', 'node'],
      default: 'fast-lane',
      examples: ['node'],
    },
  },
} as const satisfies SettingSchema

/** The tuning of a process. */
export type Tuning = ValueOf<typeof tuningSchema>

/** Default tuning. */
export const tuningDefaults = Object.fromEntries(
  Object.entries(tuningSchema.properties).map(([name, schema]) => [name, schema.default]),
) as Tuning
