/** How a client sends; all of it has a default. */
export interface ClientOptions {
  /** Sends in place of the global `fetch`: to look at headers, to sign, to use an agent. */
  readonly fetch?: Fetch | undefined
  /** Headers that every request carries, such as `authorization`. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Until when the whole answer must be there, body included; {@link clientDefaults} says how long else. */
  readonly timeoutMilliseconds?: number | undefined
}

/** How one call, or one batch, is sent: the last argument of each. */
export interface CallOptions {
  /** Gives the call up when it fires; the call then rejects with the signal's reason, as `fetch` does. */
  readonly signal?: AbortSignal | undefined
  /** In place of the client's; `Infinity` waits for ever. */
  readonly timeoutMilliseconds?: number | undefined
}

/** What a client does where its options say nothing. */
export const clientDefaults = {
  timeoutMilliseconds: 30_000,
} as const

/** What a `fetch` has to do for the client: the global one, undici's and node-fetch's do. */
export type Fetch = (url: string, request: FetchRequest) => Promise<FetchAnswer>

/** What the client hands to a `fetch`. */
export interface FetchRequest {
  readonly method: 'POST'
  readonly headers: Record<string, string>
  readonly body: string
  readonly signal: AbortSignal
}

/** What the client reads of an answer. */
export interface FetchAnswer {
  readonly status: number
  readonly headers: { get(name: string): string | null }
  text(): Promise<string>
}

/**
 * A time-out that was given, looked at.
 * @throws RangeError for what is no time to wait
 */
export function checkedTimeout(milliseconds: number): number {
  if (typeof milliseconds === 'number' && milliseconds > 0) return milliseconds
  throw new RangeError(
    `timeoutMilliseconds is ${String(milliseconds)}: give a number above 0, or Infinity to wait for ever`,
  )
}
