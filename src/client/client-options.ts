/** How a client sends; all of it has a default. */
export interface ClientOptions {
  /** Sends in place of the global `fetch`: to look at headers, to sign, to use an agent. */
  readonly fetch?: Fetch | undefined
  /** Headers that every request carries, such as `authorization`. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Until when the whole answer must be there, body included; {@link clientDefaults} says how long else. */
  readonly timeoutMilliseconds?: number | undefined
  /** The largest answer that is read, in bytes after decompression; {@link clientDefaults} has the default. */
  readonly maxAnswerBytes?: number | undefined
}

/** How one call, or one batch, is sent: the last argument of each. */
export interface CallOptions {
  /** Gives the call up when it fires; the call then rejects with the signal's reason, as `fetch` does. */
  readonly signal?: AbortSignal | undefined
  /** In place of the client's; `Infinity` waits for ever. */
  readonly timeoutMilliseconds?: number | undefined
}

/** The defaults of {@link ClientOptions}. */
export const clientDefaults = {
  timeoutMilliseconds: 30_000,
  /** 128 MiB. */
  maxAnswerBytes: 134_217_728,
} as const

/** The part of `fetch` that the client uses. The global one, undici's and node-fetch's fit. */
export type Fetch = (url: string, request: FetchRequest) => Promise<FetchAnswer>

/** What the client hands to a `fetch`. */
export interface FetchRequest {
  readonly method: 'POST'
  readonly headers: Record<string, string>
  readonly body: string
  readonly signal: AbortSignal
  /** A redirect would carry the key, the headers and signed transactions to another place. */
  readonly redirect: 'manual'
}

/** What the client reads of an answer. */
export interface FetchAnswer {
  readonly status: number
  readonly headers: { get(name: string): string | null }
  /** True after a redirect was followed; the answer is then refused. */
  readonly redirected?: boolean
  /** `opaqueredirect` where a browser hides a redirect. */
  readonly type?: string
  /** The URL that answered. */
  readonly url?: string
  /** The bytes, as a web stream or as a stream of Node; `text` is called where there are none. */
  readonly body?: AnswerBody | null
  text(): Promise<string>
}

/** A body that is read in pieces. */
export type AnswerBody = ReadableStream<Uint8Array> | AsyncIterable<Uint8Array | string>

/**
 * A time-out that was given, checked.
 * @throws RangeError for anything but a number above 0
 */
export function checkedTimeout(milliseconds: number): number {
  return checkedNumber('timeoutMilliseconds', milliseconds, 'or Infinity to wait for ever')
}

/**
 * The largest answer in bytes that was given, checked.
 * @throws RangeError for anything but a number above 0
 */
export function checkedAnswerBytes(bytes: number): number {
  return checkedNumber('maxAnswerBytes', bytes, 'or Infinity for no limit')
}

function checkedNumber(name: string, value: number, otherwise: string): number {
  if (typeof value === 'number' && value > 0) return value
  throw new RangeError(`${name} is ${String(value)}: give a number above 0, ${otherwise}`)
}
