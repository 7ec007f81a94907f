import type { SettingSchema, ValueOf } from './setting-schema.js'

/**
 * How a process divides its work and memory. Callers do not observe these numbers, so they are settings of the service
 * and no promises of the contract.
 */
export const tuningSchema = {
  description: 'How a process divides its work and memory. Callers do not observe these numbers.',
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
        'Requests in the largest lease. A lease spent within `leaseIdleSeconds` doubles the next one.',
      type: 'integer',
      minimum: 1,
      maximum: 1_000_000,
      default: 800,
      examples: [400],
      'x-unit': 'requests',
    },
    leaseRefillPercent: {
      description: 'Part of a lease that is left when the process asks for the next one.',
      type: 'integer',
      minimum: 0,
      maximum: 100,
      default: 25,
      examples: [50],
      'x-unit': 'percent',
    },
    leaseIdleSeconds: {
      description: 'An idle lease returns after this time where several processes share the database.',
      type: 'number',
      minimum: 0.1,
      maximum: 3_600,
      default: 1,
      examples: [0.5],
      'x-unit': 'seconds',
    },
    leaseIdleAloneSeconds: {
      description: 'An idle lease returns after this time where no other process shares the database.',
      type: 'number',
      minimum: 0.1,
      maximum: 3_600,
      default: 60,
      examples: [10],
      'x-unit': 'seconds',
    },
    leaseAskAgainMilliseconds: {
      description: 'Time of retries before a first refusal, while other processes hold leases.',
      type: 'integer',
      minimum: 0,
      maximum: 60_000,
      default: 1_200,
      examples: [2_000],
      'x-unit': 'milliseconds',
    },
    usedFlushSeconds: {
      description:
        'The count of used requests is written after this time where several processes share the database.',
      type: 'number',
      minimum: 0.1,
      maximum: 60,
      default: 1,
      examples: [5],
      'x-unit': 'seconds',
    },
    usedFlushAloneSeconds: {
      description: 'The count of used requests is written after this time where no other process reads it.',
      type: 'number',
      minimum: 0.1,
      maximum: 60,
      default: 10,
      examples: [5],
      'x-unit': 'seconds',
    },
    usageFlushSeconds: {
      description: 'Usage is written after this time. A killed process loses as much of the statistics.',
      type: 'number',
      minimum: 0.1,
      maximum: 600,
      default: 10,
      examples: [1],
      'x-unit': 'seconds',
    },
    bodyBytesAtOnce: {
      description:
        'Size of all request bodies over 16 KiB that are read and worked on at once; more are answered 503.',
      type: 'integer',
      'x-minimum': { limit: 'bodyBytes' },
      maximum: 1_099_511_627_776,
      default: 134_217_728,
      examples: [268_435_456],
      'x-unit': 'bytes',
    },
    answerBytesAtOnce: {
      description: 'Size of all answers over 64 KiB that wait for their callers; more are answered 503.',
      type: 'integer',
      'x-minimum': { limit: 'logsHeldBytes' },
      maximum: 1_099_511_627_776,
      default: 268_435_456,
      examples: [536_870_912],
      'x-unit': 'bytes',
    },
    batchCallsAtOnce: {
      description: 'Calls of one batch that run at once.',
      type: 'integer',
      minimum: 1,
      maximum: 1_000,
      default: 32,
      examples: [16],
      'x-unit': 'calls',
    },
    queuedRequests: {
      description: 'Requests of all users that wait in the queue; more are answered 503.',
      type: 'integer',
      minimum: 1,
      maximum: 1_000_000,
      default: 10_000,
      examples: [5_000],
      'x-unit': 'requests',
    },
    queuedBytes: {
      description: 'Size of the bodies of all requests that wait in the queue; more are answered 503.',
      type: 'integer',
      'x-minimum': { limit: 'bodyBytes' },
      maximum: 1_099_511_627_776,
      default: 134_217_728,
      examples: [67_108_864],
      'x-unit': 'bytes',
    },
    nodeBatchItems: {
      description: 'Calls that travel to a node as one batch.',
      type: 'integer',
      minimum: 1,
      maximum: 1_000,
      default: 50,
      examples: [20],
      'x-unit': 'calls',
    },
    nodeLagBlocks: {
      description:
        'Blocks that the head of a node may differ from the agreed head before calls avoid the node.',
      type: 'integer',
      minimum: 0,
      maximum: 10_000,
      default: 6,
      examples: [2],
      'x-unit': 'blocks',
    },
    httpParser: {
      description:
        "Parser of plain HTTP requests: the fast lane, or Node's parser for every request. Answers are the same.",
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
