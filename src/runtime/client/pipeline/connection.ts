import { type ClientContract, methodOf } from '../client-contract.js'
import {
  type BatchLimits,
  type CallOptions,
  type ClientOptions,
  clientDefaults,
  positive,
  type Quota,
} from '../client-options.js'
import { createEndpoint } from '../http/endpoint.js'
import type { Tolerances } from '../http/read-response.js'
import { createQuotaMeter } from '../quota.js'
import type { WireParams } from '../wire-params.js'
import { type AttemptedCall, startAttempts } from './attempted-call.js'
import { type BatchSize, createBatcher, splitCalls } from './batcher.js'
import { createCore } from './core.js'
import { type Delivery, deliver } from './deliver.js'
import { batchOf, type Outcome, sendBatch } from './explicit-batch.js'
import { type LayeredCall, layeredCall } from './layers.js'
import { createLimiter } from './limiter.js'

/** A call before encoding, of any method. */
export interface WireCall {
  readonly method: string
  readonly params: WireParams
}

/** Sends requests to one URL and reads their answers. */
export interface Connection extends LayeredCall {
  /** Sends several calls, in as few HTTP requests as the limits allow. Sends nothing for an empty list. */
  readonly batch: (calls: readonly WireCall[], options: CallOptions) => Promise<readonly Outcome<unknown>[]>
  /** Returns the state of the quota. */
  readonly quota: () => Quota | undefined
  /** Deviations from JSON-RPC 2.0 that were accepted. */
  readonly tolerances: Tolerances
}

/**
 * Creates a connection without sending anything. A call passes these steps:
 * 1. `layers`: decode, middleware, validate
 * 2. `pending-call`: the call is encoded, its budget and signal are watched
 * 3. `batcher`, or `explicit-batch`: calls are collected for one request
 * 4. `deliver`: the request is sent, and repeated as `retries` allows; each attempt waits for the `limiter`
 * 5. `post-request`, `read-answer`: one attempt is sent, and its answer is read
 * @param url the service's URL with its key
 * @param contract the generated contract
 * @param options options of the client
 * @throws TypeError when the URL or a header is invalid
 * @throws RangeError when a number is not greater than 0
 */
export function createConnection(
  url: string | URL,
  contract: ClientContract,
  options: ClientOptions = {},
): Connection {
  const { headers } = options
  const isFunction = typeof headers === 'function'
  const core = createCore(url, contract, { ...options, headers: isFunction ? {} : headers })
  const size = batchSize(contract, options)
  const quota = createQuotaMeter(options)
  const { concurrency = clientDefaults.concurrency, budgetMilliseconds = clientDefaults.budgetMilliseconds } =
    options
  positive({ concurrency, budgetMilliseconds })
  const settings = { core, retry: options.retry, budgetMilliseconds }
  const delivery: Delivery = {
    ...core,
    endpointOf: async (own) =>
      isFunction || own
        ? createEndpoint(url, { ...(isFunction ? await headers() : headers), ...own })
        : core.endpoint,
    enter: createLimiter(concurrency),
    onAnswer: quota.note,
  }
  const send = (calls: readonly AttemptedCall[]) => deliver(delivery, calls)
  const collect = createBatcher(size, send)
  const isBatched = batchedMethods(contract, options)
  const layers = layeredCall(options, (call) => {
    const join = batchOf(call.options)
    if (join) return join(() => startAttempts(call, settings)).promise
    const pending = startAttempts(call, settings)
    if (call.options.batch ?? isBatched(call.method)) collect(pending)
    else send([pending])
    return pending.promise
  })
  const sendList = (calls: readonly AttemptedCall[]) => {
    for (const batch of splitCalls(calls, size)) deliver(delivery, batch, size.maxCalls > 0)
  }
  return {
    ...layers,
    batch: (calls, options) => sendBatch(calls, options, layers.call, sendList),
    quota: quota.read,
    tolerances: core.counts,
  }
}

/** Returns the smaller of the contract's limits and those of the options. The limit 0 disables batches. */
function batchSize({ limits = {} }: ClientContract, { batch }: ClientOptions): BatchSize {
  const defaults = clientDefaults.batch
  const { batchItems = defaults.maxCalls, bodyBytes = defaults.maxBytes } = limits
  const { maxCalls = batchItems || 1, maxBytes = bodyBytes }: BatchLimits = Object(batch)
  positive({ maxCalls, maxBytes })
  return { maxCalls: Math.min(maxCalls, batchItems), maxBytes: Math.min(maxBytes, bodyBytes) }
}

/** Returns a function that tells whether the calls of a method are batched (`x-batchable`). */
function batchedMethods(contract: ClientContract, { batch }: ClientOptions): (method: string) => boolean {
  const isMarked = Object.values(contract.methods).some(({ batchable }) => batchable)
  if (batch === false || (!batch && !isMarked)) return () => false
  return (name) => {
    const method = methodOf(contract, name)
    return isMarked ? method?.batchable === true : method !== undefined
  }
}
