import type { Fetch, FetchAnswer } from '../client-options.js'
import { type Fault, transportFault } from '../fault.js'
import type { TransportTrouble } from '../transport-error.js'
import type { Endpoint } from './endpoint.js'
import { cancelBody, readText } from './read-text.js'
import { innermost, redactedError } from './redacted-error.js'

/** A complete HTTP answer. */
export interface HttpAnswer {
  readonly status: number
  readonly headers: FetchAnswer['headers']
  readonly text: string
}

/** The destination of requests and the limits for answers. */
export interface Sender {
  readonly endpoint: Endpoint
  readonly fetch: Fetch
  readonly maxAnswerBytes: number
}

/**
 * Sends one HTTP request and reads the complete answer. Never rejects.
 * @param sender the destination and limits
 * @param body the message as JSON
 * @param signal cancels the request
 * @returns the answer, or a fault: `network`, `http` for a redirect, or `malformed` for an answer that is too
 *   large or not UTF-8
 */
export async function postRequest(
  { endpoint, fetch, maxAnswerBytes }: Sender,
  body: string,
  signal: AbortSignal,
): Promise<HttpAnswer | Fault> {
  const { origin, url, headers, redact } = endpoint
  try {
    const answer = await fetch(url, {
      method: 'POST',
      headers: { ...headers },
      body,
      signal,
      redirect: 'manual',
    })
    const redirect = redirectOf(answer, url)
    if (redirect) {
      cancelBody(answer)
      return answerFault(endpoint, answer, 'http', redirect)
    }
    const text = await readText(answer, maxAnswerBytes)
    if (typeof text === 'string') return { status: answer.status, headers: answer.headers, text }
    return answerFault(endpoint, answer, 'malformed', text.problem)
  } catch (error) {
    const cause = redactedError(error, redact)
    const message = `no answer from ${origin} (${innermost(cause)}). Check that the service is reachable.`
    return transportFault({ kind: 'network', message, cause })
  }
}

/** Returns the fault of an answer that cannot be used. The origin is put before the redacted problem. */
export function answerFault(
  { origin, redact }: Endpoint,
  http: Omit<HttpAnswer, 'text'>,
  kind: TransportTrouble,
  problem: string,
): Fault {
  return transportFault({
    kind,
    ...httpFacts(http),
    message: `${origin} ${redact(problem)}`,
  })
}

/**
 * Describes a redirect, or an answer after one (RFC 9110, section 15.4). Returns undefined for other answers.
 */
function redirectOf(
  { redirected, type, status, url, headers }: FetchAnswer,
  base: string,
): string | undefined {
  // Browsers hide redirects: the status is 0, and there are no headers.
  if (!redirected && type !== 'opaqueredirect' && (status < 300 || status > 399)) return undefined
  const target = originOf(redirected ? url : headers.get('location'), base)
  const detail = redirected ? ', but the given fetch did' : ''
  return `redirects to ${target} (HTTP ${status}). The client does not follow redirects${detail}.`
}

/** Returns the origin of an address, which may be relative. */
function originOf(address: string | null | undefined, base: string): string {
  return address && URL.canParse(address, base) ? new URL(address, base).origin : 'an unknown address'
}

/** The parts of an HTTP response that errors include. */
export interface HttpFacts {
  readonly httpStatus?: number
  /** `Retry-After` in seconds from now (RFC 9110, section 10.2.3). Undefined if it is absent or invalid. */
  readonly retryAfterSeconds?: number | undefined
}

/** Returns what errors state of an HTTP answer. */
export function httpFacts({ status, headers }: Omit<HttpAnswer, 'text'>): HttpFacts {
  const header = headers.get('retry-after')?.trim() ?? ''
  const seconds = /^\d+$/.test(header) ? Number(header) : Math.ceil((Date.parse(header) - Date.now()) / 1_000)
  return { httpStatus: status, retryAfterSeconds: Number.isNaN(seconds) ? undefined : Math.max(0, seconds) }
}
