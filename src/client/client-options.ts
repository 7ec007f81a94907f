/** Options of a client. All are optional. */
export interface ClientOptions {
  /** Replaces the global `fetch`, for example to inspect headers, to sign requests or to use an agent. */
  readonly fetch?: Fetch | undefined
  /** Headers for every request, such as `authorization`. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Milliseconds until the complete answer must be received. Defaults to {@link clientDefaults}. */
  readonly timeoutMilliseconds?: number | undefined
  /** Maximum size of an answer in bytes, after decompression. Defaults to {@link clientDefaults}. */
  readonly maxAnswerBytes?: number | undefined
}

/** Options of one call or batch, passed as the last argument. */
export interface CallOptions {
  /** Cancels the call, which then rejects with the signal's reason, like `fetch`. */
  readonly signal?: AbortSignal | undefined
  /** Overrides the client's timeout. `Infinity` means no timeout. */
  readonly timeoutMilliseconds?: number | undefined
}

/** The defaults of {@link ClientOptions}. */
export const clientDefaults = {
  timeoutMilliseconds: 30_000,
  /** 128 MiB. */
  maxAnswerBytes: 134_217_728,
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
  /** The body as a web stream or a Node.js stream. `text` is used if it is absent. */
  readonly body?: AnswerBody | null
  text(): Promise<string>
}

/** A body that is read in chunks. */
export type AnswerBody = ReadableStream<Uint8Array> | AsyncIterable<Uint8Array | string>

/**
 * Validates a timeout.
 * @param milliseconds the timeout in milliseconds
 * @throws RangeError unless it is a number greater than 0
 */
export function checkedTimeout(milliseconds: number): number {
  return checkedNumber('timeoutMilliseconds', milliseconds, 'or Infinity for no timeout')
}

/**
 * Validates the maximum size of an answer.
 * @param bytes the size in bytes
 * @throws RangeError unless it is a number greater than 0
 */
export function checkedAnswerBytes(bytes: number): number {
  return checkedNumber('maxAnswerBytes', bytes, 'or Infinity for no limit')
}

function checkedNumber(name: string, value: number, otherwise: string): number {
  if (typeof value === 'number' && value > 0) return value
  throw new RangeError(`${name} is ${String(value)}: use a number greater than 0, ${otherwise}`)
}
