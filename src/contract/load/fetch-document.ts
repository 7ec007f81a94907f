import { contractError } from '../contract-error.js'
import { sourceText } from './source-text.js'

/** Bounds of the documents that are fetched for one contract. */
export interface RemoteBounds {
  /** Milliseconds until one whole document must be there. */
  readonly timeout: number
  /** Milliseconds for all of them together: one document may name the next without end. */
  readonly timeoutOfAll: number
  /** Bytes that one may have, unpacked. */
  readonly bytes: number
}

export const remoteDefaults: RemoteBounds = {
  timeout: 10_000,
  timeoutOfAll: 60_000,
  bytes: 10 * 1024 * 1024,
}

/** A document as it was fetched. */
export interface FetchedDocument {
  readonly text: string
  /** Where it was found, redirects followed: references in it start from there (RFC 3986, section 5.1.3). */
  readonly url: URL
}

/** Fetches documents, all of them within one deadline that begins with the first. */
export function createFetcher(bounds: RemoteBounds): (url: URL) => Promise<FetchedDocument> {
  let deadline: AbortSignal | undefined
  return async (url) => {
    deadline ??= AbortSignal.timeout(bounds.timeoutOfAll)
    const own = AbortSignal.timeout(bounds.timeout)
    try {
      return await fetched(url, AbortSignal.any([own, deadline]), bounds.bytes)
    } catch (cause) {
      if (deadline.aborted) throw tooSlow('all documents together take', bounds.timeoutOfAll, cause)
      if (own.aborted) throw tooSlow('it takes', bounds.timeout, cause)
      throw cause
    }
  }
}

function tooSlow(what: string, milliseconds: number, cause: unknown) {
  return contractError('', `cannot be fetched: ${what} longer than ${milliseconds} ms`, { cause })
}

async function fetched(url: URL, signal: AbortSignal, most: number): Promise<FetchedDocument> {
  const response = await fetch(url, { signal }).catch((cause: unknown) => {
    throw contractError('', `cannot be fetched: ${innermost(cause)}`, { cause })
  })
  if (!response.ok) {
    await response.body?.cancel()
    throw contractError('', `cannot be fetched: it is answered with status ${response.status}`)
  }
  const parts: Uint8Array[] = []
  let bytes = 0
  for await (const part of response.body ?? []) {
    bytes += part.byteLength
    if (bytes > most) throw contractError('', `cannot be fetched: it has more than ${most} bytes`)
    parts.push(part)
  }
  return { text: sourceText(Buffer.concat(parts)), url: new URL(response.url) }
}

/** fetch says "fetch failed", and its cause why. */
function innermost(error: unknown): string {
  let here = error
  while (here instanceof Error && here.cause instanceof Error) here = here.cause
  if (!(here instanceof Error)) return String(here)
  return here.message || ('code' in here ? String(here.code) : here.name)
}
