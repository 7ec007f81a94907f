import { type CallOptions, checkedTimeout, type Fetch, type FetchAnswer } from './client-options.js'
import type { Endpoint } from './endpoint.js'
import { readText } from './read-text.js'
import { TransportError } from './transport-error.js'

/** A complete HTTP answer. */
export interface HttpAnswer {
  readonly status: number
  /** `Retry-After` in seconds from now, converted from seconds or a date. */
  readonly retryAfterSeconds: number | undefined
  readonly contentType: string | undefined
  readonly text: string
}

/** The destination of requests and the limits for answers. */
export interface Sender {
  readonly endpoint: Endpoint
  readonly fetch: Fetch
  readonly timeoutMilliseconds: number
  readonly maxAnswerBytes: number
}

/** A request body and its name in messages. */
export interface Outgoing {
  readonly body: string
  /** The method. Undefined for a batch. */
  readonly method: string | undefined
}

/**
 * Sends one HTTP request and reads the complete answer.
 * @param sender the destination and limits
 * @param outgoing the request
 * @param options timeout and signal of the call
 * @throws TransportError `network`, `timeout`, `http` for a redirect, or `malformed` for an answer that is
 *   too large or not UTF-8
 * @throws the signal's reason when it fires
 */
export async function postRequest(
  sender: Sender,
  outgoing: Outgoing,
  options: CallOptions,
): Promise<HttpAnswer> {
  const { signal, timeoutMilliseconds = sender.timeoutMilliseconds } = options
  const milliseconds = checkedTimeout(timeoutMilliseconds)
  signal?.throwIfAborted()
  const late = () => timeoutError(sender, outgoing, milliseconds)
  return withDeadline({ milliseconds, signal, late }, (stop) => sendAndRead(sender, outgoing, stop))
}

/** The limits of a task. */
interface Bounds {
  readonly milliseconds: number
  readonly signal: AbortSignal | undefined
  /** Creates the error for a timeout. */
  readonly late: () => TransportError
}

/** Maximum delay of a timer in milliseconds. Longer delays would fire immediately. */
const longestTimer = 2 ** 31 - 1

/** Runs a task until it settles, times out or is aborted, even if the task ignores its signal. */
function withDeadline<Value>(
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
      // The task gets its own signal, because some runtimes modify the reason of the signal they receive.
      controller.abort()
    }
    work(controller.signal).then(resolve, reject).finally(cleanUp)
  })
}

async function sendAndRead(
  sender: Sender,
  { body, method }: Outgoing,
  stop: AbortSignal,
): Promise<HttpAnswer> {
  const { endpoint, fetch, maxAnswerBytes } = sender
  try {
    const headers = { ...endpoint.headers, 'content-type': 'application/json', accept: 'application/json' }
    const sent = { method: 'POST', headers, body, signal: stop, redirect: 'manual' } as const
    const answer = await fetch(endpoint.url, sent)
    const redirect = redirectOf(answer, endpoint)
    if (redirect !== undefined) throw unusable('http', redirect, { method, answer, endpoint })
    const text = await readText(answer, maxAnswerBytes)
    if (typeof text === 'object') throw unusable('malformed', text.problem, { method, answer, endpoint })
    return { ...headOf(answer), text }
  } catch (error) {
    throw error instanceof TransportError ? error : networkError(endpoint, method, error)
  }
}

/**
 * Describes a redirect, or an answer after one (RFC 9110, section 15.4). Returns undefined for other answers.
 */
function redirectOf(answer: FetchAnswer, { url }: Endpoint): string | undefined {
  const never = 'The client does not follow redirects'
  if (answer.redirected)
    return `redirects to ${originOf(answer.url, url)}. ${never}, but the given fetch did.`
  if (answer.type === 'opaqueredirect') {
    return `redirects, and the browser hides the target. ${never}. Use the final URL of the service.`
  }
  if (answer.status < 300 || answer.status > 399) return undefined
  const target = originOf(answer.headers.get('location') ?? undefined, url)
  return `redirects to ${target} (HTTP ${answer.status}). ${never}. If you trust that address, use it as the URL.`
}

/** Returns the origin of an address, which may be relative. */
function originOf(address: string | undefined, base: string): string {
  try {
    if (address) return new URL(address, base).origin
  } catch {
    // The address is invalid.
  }
  return 'no usable address'
}

function unusable(
  kind: 'http' | 'malformed',
  problem: string,
  { method, answer, endpoint }: { method: string | undefined; answer: FetchAnswer; endpoint: Endpoint },
): TransportError {
  const message = `${called(method)}: ${endpoint.origin} ${endpoint.redact(problem)}`
  return new TransportError({ kind, message, method, httpStatus: answer.status })
}

function headOf({ status, headers }: FetchAnswer): Omit<HttpAnswer, 'text'> {
  return {
    status,
    retryAfterSeconds: retryAfter(headers.get('retry-after')),
    contentType: headers.get('content-type') ?? undefined,
  }
}

/**
 * Parses a `Retry-After` header to seconds (RFC 9110, section 10.2.3). Returns undefined if it is absent or
 * invalid.
 */
function retryAfter(header: string | null): number | undefined {
  if (header === null) return undefined
  if (/^\d+$/.test(header.trim())) return Number(header)
  const until = Date.parse(header)
  return Number.isNaN(until) ? undefined : Math.max(0, Math.ceil((until - Date.now()) / 1_000))
}

function timeoutError({ endpoint }: Sender, { method }: Outgoing, milliseconds: number): TransportError {
  const message = `${called(method)}: no complete answer from ${endpoint.origin} within ${milliseconds} ms. Try again, or increase timeoutMilliseconds.`
  return new TransportError({ kind: 'timeout', message, method })
}

function networkError(endpoint: Endpoint, method: string | undefined, error: unknown): TransportError {
  const cause = redactedError(error, endpoint.redact)
  const message = `${called(method)}: no answer from ${endpoint.origin} (${innermost(cause)}). Check that the service is reachable.`
  return new TransportError({ kind: 'network', message, method, cause })
}

/** Names a request in messages. */
export function called(method: string | undefined): string {
  return method ?? 'batch'
}

/**
 * A redacted copy of a foreign error with name, message and code. Other members may contain the URL or
 * headers.
 */
interface RedactedError extends Error {
  code?: string | number
}

/** Maximum number of nested causes that are kept. */
const deepestCause = 8

function redactedError(error: unknown, redact: (text: string) => string, depth = 1): RedactedError {
  const { name, message, code, cause } = partsOf(error)
  const beneath =
    cause === undefined || depth === deepestCause ? undefined : redactedError(cause, redact, depth + 1)
  const copy: RedactedError = new Error(redact(message), beneath && { cause: beneath })
  Object.defineProperty(copy, 'name', { value: redact(name), configurable: true, writable: true })
  if (code !== undefined) copy.code = typeof code === 'string' ? redact(code) : code
  copy.stack = `${copy.name}: ${copy.message}`
  return copy
}

/** Reads the parts of a thrown value that are kept. Its getters may throw. */
function partsOf(error: unknown) {
  try {
    if (typeof error !== 'object' || error === null) return { name: 'Error', message: String(error) }
    const { name, message, code, cause } = error as Readonly<Record<string, unknown>>
    return {
      name: typeof name === 'string' ? name : 'Error',
      message: typeof message === 'string' ? message : '',
      code: typeof code === 'string' || typeof code === 'number' ? code : undefined,
      cause,
    }
  } catch {
    return { name: 'Error', message: '' }
  }
}

/** Returns the innermost message, because `fetch failed` alone is not helpful. */
function innermost(error: RedactedError): string {
  let last = error
  while (last.cause !== undefined) last = last.cause as RedactedError
  return [last.message, String(last.code ?? ''), last.name].find((text) => text !== '') ?? ''
}

/** Callbacks by signal. All share one listener, because runtimes warn about many listeners on one signal. */
const waiting = new WeakMap<AbortSignal, Set<() => void>>()

/**
 * Calls back when a signal fires.
 * @param signal the signal
 * @param callback called once
 * @returns a function that removes the callback
 */
function whenAborted(signal: AbortSignal, callback: () => void): () => void {
  const callbacks = waiting.get(signal) ?? listenedTo(signal)
  callbacks.add(callback)
  return () => {
    callbacks.delete(callback)
  }
}

function listenedTo(signal: AbortSignal): Set<() => void> {
  const callbacks = new Set<() => void>()
  waiting.set(signal, callbacks)
  const fire = () => {
    for (const callback of [...callbacks]) callback()
  }
  signal.addEventListener('abort', fire, { once: true })
  return callbacks
}
