import type { Fetch, FetchAnswer } from '../client-options.js'
import { type Fault, transportFault } from '../fault.js'
import type { Endpoint } from './endpoint.js'
import { readText } from './read-text.js'
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
  const { origin, url, redact } = endpoint
  try {
    const headers = { ...endpoint.headers, 'content-type': 'application/json', accept: 'application/json' }
    const answer = await fetch(url, { method: 'POST', headers, body, signal, redirect: 'manual' })
    const httpStatus = answer.status
    const redirect = redirectOf(answer, url)
    if (redirect) {
      const message = `${origin} redirects${redact(redirect)}`
      return transportFault({ kind: 'http', httpStatus, message })
    }
    const text = await readText(answer, maxAnswerBytes)
    if (typeof text === 'string') return { status: httpStatus, headers: answer.headers, text }
    return transportFault({ kind: 'malformed', httpStatus, message: `${origin} ${text.problem}` })
  } catch (error) {
    const cause = redactedError(error, redact)
    const message = `no answer from ${origin} (${innermost(cause)}). Check that the service is reachable.`
    return transportFault({ kind: 'network', message, cause })
  }
}

/**
 * Describes a redirect, or an answer after one (RFC 9110, section 15.4). Returns undefined for other answers.
 */
function redirectOf(
  { redirected, type, status, url, headers }: FetchAnswer,
  base: string,
): string | undefined {
  const never = 'The client does not follow redirects'
  if (redirected) return ` to ${originOf(url, base)}. ${never}, but the given fetch did.`
  if (type === 'opaqueredirect') {
    return ` (the browser hides the target). ${never}.`
  }
  if (status < 300 || status > 399) return undefined
  const target = originOf(headers.get('location'), base)
  return ` to ${target} (HTTP ${status}). ${never}.`
}

/** Returns the origin of an address, which may be relative. */
function originOf(address: string | null | undefined, base: string): string {
  try {
    if (address) return new URL(address, base).origin
  } catch {
    // The address is invalid.
  }
  return 'no usable address'
}

/**
 * Returns `Retry-After` in seconds from now (RFC 9110, section 10.2.3). Returns undefined if it is absent or
 * invalid.
 */
export function retryAfterSeconds({ headers }: HttpAnswer): number | undefined {
  const header = headers.get('retry-after')?.trim()
  if (!header) return undefined
  const seconds = /^\d+$/.test(header) ? Number(header) : Math.ceil((Date.parse(header) - Date.now()) / 1_000)
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds)
}
