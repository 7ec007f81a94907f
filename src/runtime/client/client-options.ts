import type { JsonValue } from '@concordat/rpc'
import type { WireParams } from './wire-params.js'

/** HTTP headers by name. */
export type Headers = Readonly<Record<string, string>>

/** Options of a client. All are optional. */
export interface ClientOptions {
  /**
   * Replaces the global `fetch`, for example to sign requests, or to save processor time on Node.js:
   * `createNodeFetch` of `@concordat/client/node`.
   */
  readonly fetch?: Fetch | undefined
  /**
   * Headers for every request, such as `authorization`. A function is called before each HTTP request, for a token that
   * changes or `traceparent`; calls reject with the error that it throws.
   */
  readonly headers?: Headers | (() => Headers | Promise<Headers>) | undefined
  /**
   * Milliseconds until the complete answer to an HTTP request must be received. Each attempt has this time.
   * Defaults to {@link clientDefaults}.
   */
  readonly timeoutMilliseconds?: number | undefined
  /** Milliseconds for a whole call, with its attempts and all waiting. Unlimited by default. */
  readonly budgetMilliseconds?: number | undefined
  /** Maximum size of an answer in bytes, after decompression. Defaults to {@link clientDefaults}. */
  readonly maxAnswerBytes?: number | undefined
  /**
   * Sends calls that are made in one turn of the event loop as one batch. By default these are the calls of
   * methods with `x-batchable`; `false` batches nothing. If no method of the contract has `x-batchable`,
   * nothing is batched by default, and `true` batches all methods.
   */
  readonly batch?: boolean | BatchLimits | undefined
  /** Repeats failed calls. By default only of methods with `x-effect: read`; `false` repeats nothing. */
  readonly retry?: false | RetryOptions | undefined
  /** Maximum number of HTTP requests at the same time. Further requests wait in order. Unlimited by default. */
  readonly concurrency?: number | undefined
  /** Functions around each call, the outermost first. */
  readonly middleware?: readonly Middleware[] | undefined
  /** Called when the quota falls below `quotaThreshold`, once until it is above it or reset. */
  readonly onQuota?: ((quota: Quota) => void) | undefined
  /** Share of the limit, from 0 to 1, below which `onQuota` is called. Defaults to {@link clientDefaults}. */
  readonly quotaThreshold?: number | undefined
  /** Refuses answers without `jsonrpc`, and a result beside `error: null`. By default they are accepted. */
  readonly strict?: boolean | undefined
  /** Checks each result. The call rejects with the error that it throws. */
  readonly validate?: ResultValidator | undefined
  /** Converts parameters and results between values of the application and of the wire. */
  readonly decode?: Codec | undefined
}

/** Options of one call or batch, passed as the last argument. */
export interface CallOptions {
  /** Cancels the call, which then rejects with the signal's reason, like `fetch`. */
  readonly signal?: AbortSignal | undefined
  /** Overrides the client's timeout. `Infinity` means no timeout. */
  readonly timeoutMilliseconds?: number | undefined
  /** Overrides the client's budget. `Infinity` means no limit. */
  readonly budgetMilliseconds?: number | undefined
  /**
   * Additional HTTP headers. They override client headers with the same names. Calls are batched only if they
   * pass the same object. Ignored over WebSockets.
   */
  readonly headers?: Headers | undefined
  /** `true` lets the call join the batch of its turn, `false` sends it alone. */
  readonly batch?: boolean | undefined
  /** Overrides the client's retries. */
  readonly retry?: false | RetryOptions | undefined
}

/** Limits of a batch. The contract's limits (`x-limits`) are the upper bounds and the defaults. */
export interface BatchLimits {
  /** Maximum number of calls in a batch. */
  readonly maxCalls?: number | undefined
  /** Maximum size of a request body in bytes. A single larger call is sent alone. */
  readonly maxBytes?: number | undefined
}

/** How failed calls are repeated. Defaults to {@link clientDefaults}. */
export interface RetryOptions {
  /** Maximum number of HTTP requests for a call, the first included. */
  readonly attempts?: number | undefined
  /** Maximum wait between two attempts, in milliseconds. A longer `Retry-After` ends the call. */
  readonly maxDelayMilliseconds?: number | undefined
  /** True to repeat calls that may change something too. The service may then execute them several times. */
  readonly writes?: boolean | undefined
}

/** A call as middleware sees it. Parameters are those of the wire. */
export interface MiddlewareCall {
  readonly method: string
  readonly params: WireParams
  readonly options: CallOptions
}

/** Sends a call and resolves to its result, or rejects with its error. */
export type Next = (call: MiddlewareCall) => Promise<unknown>

/** Wraps each call: it may inspect, change, repeat or answer it. `options` must be passed on or copied. */
export type Middleware = (next: Next) => Next

/** The state of the caller's quota. */
export interface Quota {
  /** Calls of a window. Undefined if the service does not state it. */
  readonly limit: number | undefined
  /** Calls that remain in the window. */
  readonly remaining: number
  /** Seconds until the window ends. Undefined if the service does not state it. */
  readonly resetSeconds: number | undefined
}

/** Converts the values of an application to those of the wire, and back. */
export interface Codec<Client = unknown> {
  /** Never present: it carries the type of a client with these values. */
  readonly client?: Client
  /** Converts parameters before they are sent. */
  readonly params: (method: string, params: WireParams) => WireParams
  /** Converts a result. */
  readonly result: (method: string, result: JsonValue | undefined) => unknown
}

/** Checks a result of the wire, and throws if it is not one of the method. See `createResultValidator`. */
export type ResultValidator = (method: string, params: WireParams, result: JsonValue | undefined) => void

/** Defaults of all clients, apart from the others, so that bundlers can leave those out. */
export const defaultTimeoutMilliseconds = 30_000
/** 128 MiB. */
export const defaultMaxAnswerBytes = 134_217_728

/** The defaults of {@link ClientOptions}. */
export const clientDefaults = {
  timeoutMilliseconds: defaultTimeoutMilliseconds as number,
  maxAnswerBytes: defaultMaxAnswerBytes as number,
  budgetMilliseconds: Infinity as number,
  concurrency: Infinity as number,
  retry: { attempts: 4, maxDelayMilliseconds: 10_000 },
  /** Used if the contract has no such limits. */
  batch: { maxCalls: 100, maxBytes: 5_242_880 },
  quotaThreshold: 0.1,
} as const

/** The part of `fetch` that the client uses. The global `fetch`, undici's and node-fetch's are compatible. */
export type Fetch = (url: string, request: FetchRequest) => Promise<FetchAnswer>

/** The request that the client passes to `fetch`. */
export interface FetchRequest {
  readonly method: 'POST'
  readonly headers: Record<string, string>
  readonly body: string
  readonly signal: AbortSignal
  /** Redirects are not followed: they would send the key, headers and signed transactions elsewhere. */
  readonly redirect: 'manual'
}

/** The part of a fetch response that the client reads. */
export interface FetchAnswer {
  readonly status: number
  readonly headers: { get(name: string): string | null }
  /** True if a redirect was followed. Such an answer is rejected. */
  readonly redirected?: boolean
  /** `opaqueredirect` if a browser hides a redirect. */
  readonly type?: string
  /** The final URL. */
  readonly url?: string
  /** The body as a web stream or a Node.js stream. `text` is used if it is absent. An unread body is cancelled. */
  readonly body?: AnswerBody | null
  text(): Promise<string>
}

/** A body that is read in chunks. */
export type AnswerBody =
  | ReadableStream<Uint8Array>
  | (AsyncIterable<Uint8Array | string> & { readonly destroy?: () => unknown })

/**
 * Validates numbers, and returns them.
 * @param values the numbers by their names in the error
 * @throws RangeError unless all are numbers greater than 0
 */
export function positive<Values extends Readonly<Record<string, number>>>(values: Values): Values {
  for (const [name, value] of Object.entries(values)) {
    if (!(typeof value === 'number' && value > 0))
      throw new RangeError(`${name} is ${String(value)}: use a number greater than 0`)
  }
  return values
}
