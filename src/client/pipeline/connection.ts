import { type ClientContract, methodOf } from '../client-contract.js'
import {
  type CallOptions,
  type ClientOptions,
  clientDefaults,
  type Fetch,
  type MiddlewareCall,
  type Next,
  positive,
  type Quota,
} from '../client-options.js'
import { createEndpoint } from '../http/endpoint.js'
import type { Tolerances } from '../http/read-response.js'
import { createQuotaMeter } from '../quota.js'
import type { WireParams } from '../wire-params.js'
import { type BatchSize, createBatcher, splitCalls } from './batcher.js'
import { type Delivery, deliver } from './deliver.js'
import { batchOf, type Outcome, sendBatch } from './explicit-batch.js'
import { layeredCall } from './layers.js'
import { createLimiter } from './limiter.js'
import { createPendingCall, type PendingCall } from './pending-call.js'

/** A call before encoding, of any method. */
export interface WireCall {
  readonly method: string
  readonly params: WireParams
}

/** Sends requests to one URL and reads their answers. */
export interface Connection {
  /** Sends one call of the application. */
  readonly call: Next
  /** Sends one call with values of the wire. */
  readonly wire: Next
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
 * 4. `deliver`: repeats what `retry-delay` allows. Each attempt waits for the `limiter`, then does
 * 5. `post-request` and `read-answer`
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
  const numbers = checkedNumbers(options)
  const size = batchSize(contract, options)
  const quota = createQuotaMeter(options)
  const tolerances = { missingVersion: 0, nullError: 0 }
  const settings = { ...numbers, contract, retry: options.retry }
  const delivery: Delivery = {
    contract,
    endpoint: createEndpoint(url, options.headers),
    fetch: options.fetch ?? globalFetch,
    maxAnswerBytes: numbers.maxAnswerBytes,
    enter: createLimiter(numbers.concurrency),
    onAnswer: quota.note,
    tolerances: options.strict ? undefined : tolerances,
  }
  const send = (calls: readonly PendingCall[]) => deliver(delivery, calls, false)
  const collect = createBatcher(size, send)
  const isBatched = batchedMethods(contract, options)
  let lastId = 0

  const start = ({ method, params, options }: MiddlewareCall): PendingCall => {
    return createPendingCall(
      { method, params, options },
      methodOf(contract, method)?.notification ? undefined : ++lastId,
      settings,
    )
  }
  const { call, wire } = layeredCall(options, async (call) => {
    const join = batchOf(call.options)
    if (join) return join(() => start(call)).promise
    const pending = start(call)
    if (call.options.batch ?? isBatched(call.method)) collect(pending)
    else send([pending])
    return pending.promise
  })
  const sendList = (calls: readonly PendingCall[]) => {
    for (const batch of splitCalls(calls, size)) deliver(delivery, batch, true)
  }
  return {
    call,
    wire,
    batch: (calls, options) => sendBatch(calls, options, call, sendList),
    quota: quota.read,
    tolerances,
  }
}

/** Returns the options that are positive numbers, with their defaults. */
function checkedNumbers(options: ClientOptions) {
  const checked = (name: NumberOption) => {
    const { [name]: value = clientDefaults[name] } = options
    return [name, positive(name, value)]
  }
  return Object.fromEntries(numberOptions.map(checked)) as Record<NumberOption, number>
}

const numberOptions = ['timeoutMilliseconds', 'budgetMilliseconds', 'maxAnswerBytes', 'concurrency'] as const

type NumberOption = (typeof numberOptions)[number]

/** Returns the smaller of the contract's limits and those of the options. */
function batchSize({ limits = {} }: ClientContract, { batch }: ClientOptions): BatchSize {
  const { maxCalls, maxBytes } = clientDefaults.batch
  const wanted = typeof batch === 'object' ? batch : {}
  const smaller = (name: string, limit: number, given = limit) => Math.min(limit, positive(name, given))
  return {
    maxCalls: smaller('maxCalls', limits.batchItems ?? maxCalls, wanted.maxCalls),
    maxBytes: smaller('maxBytes', limits.bodyBytes ?? maxBytes, wanted.maxBytes),
  }
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

/** Reads the global `fetch` on each call, so that it can be replaced later. */
const globalFetch: Fetch = (url, request) => fetch(url, request)
