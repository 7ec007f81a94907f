import { type CallOptions, checkedTimeout, type Fetch, type FetchAnswer } from './client-options.js'
import type { Endpoint } from './endpoint.js'
import { TransportError } from './transport-error.js'
import { whenAborted } from './when-aborted.js'

/** A whole HTTP answer. */
export interface HttpAnswer {
  readonly status: number
  /** `Retry-After`, given as seconds or as a date, in seconds from now. */
  readonly retryAfterSeconds: number | undefined
  readonly contentType: string | undefined
  readonly text: string
}

/** Where and how to send. */
export interface Sender {
  readonly endpoint: Endpoint
  readonly fetch: Fetch
  readonly timeoutMilliseconds: number
}

/** What is sent, and how messages call it. */
export interface Outgoing {
  readonly body: string
  /** The method, undefined for a batch. */
  readonly method: string | undefined
}

/**
 * Sends one HTTP request and reads its whole answer, in time and until the caller's signal fires.
 * @throws TransportError `network` or `timeout`; the signal's reason when it fires
 */
export async function exchange(
  sender: Sender,
  outgoing: Outgoing,
  { signal, timeoutMilliseconds = sender.timeoutMilliseconds }: CallOptions,
): Promise<HttpAnswer> {
  const milliseconds = checkedTimeout(timeoutMilliseconds)
  signal?.throwIfAborted()
  const late = () => timeoutError(sender, outgoing, milliseconds)
  return inTime({ milliseconds, signal, late }, (stop) => sendAndRead(sender, outgoing, stop))
}

/** Until when something has to be done. */
interface Bounds {
  readonly milliseconds: number
  readonly signal: AbortSignal | undefined
  /** The error when it was not done in time. */
  readonly late: () => TransportError
}

/** The longest time that timers take: a longer one would fire at once. */
const longestTimer = 2 ** 31 - 1

/** Works until it is done, late or given up, whether or not the work heeds the signal it gets. */
function inTime<Value>(
  { milliseconds, signal, late }: Bounds,
  work: (stop: AbortSignal) => Promise<Value>,
): Promise<Value> {
  return new Promise((resolve, reject) => {
    const controller = new AbortController()
    const timer = milliseconds <= longestTimer ? setTimeout(() => end(late()), milliseconds) : undefined
    const forget = signal && whenAborted(signal, () => end(signal.reason))
    const cleanUp = () => {
      clearTimeout(timer)
      forget?.()
    }
    const end = (reason: unknown) => {
      cleanUp()
      reject(reason)
      controller.abort(reason)
    }
    work(controller.signal).then(resolve, reject).finally(cleanUp)
  })
}

async function sendAndRead(
  sender: Sender,
  { body, method }: Outgoing,
  stop: AbortSignal,
): Promise<HttpAnswer> {
  const { endpoint, fetch } = sender
  try {
    const headers = { ...endpoint.headers, 'content-type': 'application/json', accept: 'application/json' }
    const answer = await fetch(endpoint.url, { method: 'POST', headers, body, signal: stop })
    return { ...headOf(answer), text: await answer.text() }
  } catch (error) {
    throw networkError(endpoint, method, error)
  }
}

function headOf({ status, headers }: FetchAnswer): Omit<HttpAnswer, 'text'> {
  return {
    status,
    retryAfterSeconds: retryAfter(headers.get('retry-after')),
    contentType: headers.get('content-type') ?? undefined,
  }
}

/** Seconds to wait by a `Retry-After` header (RFC 9110, section 10.2.3); undefined where it says none. */
function retryAfter(header: string | null): number | undefined {
  if (header === null) return undefined
  if (/^\d+$/.test(header.trim())) return Number(header)
  const until = Date.parse(header)
  return Number.isNaN(until) ? undefined : Math.max(0, Math.ceil((until - Date.now()) / 1_000))
}

function timeoutError({ endpoint }: Sender, { method }: Outgoing, milliseconds: number): TransportError {
  const message = `${called(method)}: no whole answer from ${endpoint.origin} within ${milliseconds} ms. Try again, or raise timeoutMilliseconds.`
  return new TransportError({ kind: 'timeout', message, method })
}

function networkError(endpoint: Endpoint, method: string | undefined, error: unknown): TransportError {
  const reason = endpoint.redact(innermost(error))
  const message = `${called(method)}: no answer from ${endpoint.origin} (${reason}). Check that it can be reached from here.`
  const tells = texts(error).some((text) => endpoint.redact(text) !== text)
  return new TransportError({ kind: 'network', message, method, cause: tells ? undefined : error })
}

/** What messages call a request. */
export function called(method: string | undefined): string {
  return method ?? 'batch'
}

/** What the error beneath all others says: `fetch failed` alone helps nobody. */
function innermost(error: unknown): string {
  const last = chain(error).at(-1)
  if (!(last instanceof Error)) return String(last)
  const code = 'code' in last ? String(last.code) : ''
  return [last.message, code, last.name].find((text) => text !== '') ?? ''
}

function chain(error: unknown): readonly unknown[] {
  const found = [error]
  for (let at = error; at instanceof Error && at.cause !== undefined && found.length < 8; ) {
    at = at.cause
    found.push(at)
  }
  return found
}

/** Everything that an error and its causes would print. */
function texts(error: unknown): readonly string[] {
  return chain(error).flatMap((link) =>
    link instanceof Error
      ? [link.message, link.stack ?? '', ...Object.values(link).map(String)]
      : [String(link)],
  )
}
