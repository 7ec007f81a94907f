import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { pipeline, type Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { constants, createBrotliDecompress, createUnzip } from 'node:zlib'
import type { Fetch, FetchAnswer } from '../client-options.js'

/** Options of {@link createNodeFetch}. */
export interface NodeFetchOptions {
  /**
   * Opens the connections, for example through a proxy or with a client certificate. It must be one for the
   * scheme of the client's URL. By default connections are kept open until they are idle for 4 seconds.
   */
  readonly agent?: HttpAgent | undefined
}

/** Milliseconds after which an idle connection is closed: as in Node's `fetch`, and before most servers do. */
const idleMilliseconds = 4_000

/**
 * Creates a `fetch` for the option of a client, on `node:http` and `node:https`. It takes about half of the
 * processor time of Node's own `fetch`. Redirects are not followed, and answers are decompressed. Global
 * replacements of `fetch` and dispatchers of undici do not affect it.
 * @param options `agent`
 */
export function createNodeFetch({ agent }: NodeFetchOptions = {}): Fetch {
  const kept = { keepAlive: true, timeout: idleMilliseconds }
  const http = { send: httpRequest, agent: agent ?? new HttpAgent(kept) }
  const https = { send: httpsRequest, agent: agent ?? new HttpsAgent(kept) }
  return (url, { method, headers, body, signal }) =>
    new Promise((resolve, reject) => {
      signal.throwIfAborted()
      const { send, agent } = url.startsWith('https:') ? https : http
      const request = send(url, {
        method,
        agent,
        headers: { 'accept-encoding': 'gzip, deflate, br', ...headers },
      })
      const abort = () => request.destroy(signal.reason)
      signal.addEventListener('abort', abort)
      request
        .on('response', (response) => resolve(answerOf(response)))
        .on('upgrade', ({ statusCode }, socket) => {
          socket.destroy()
          reject(new Error(`the server switched protocols (HTTP ${statusCode})`))
        })
        .on('error', reject)
        .on('close', () => signal.removeEventListener('abort', abort))
        .end(body)
    })
}

function answerOf(response: IncomingMessage): FetchAnswer {
  const { statusCode = 0, headers } = response
  const body = decoded(response)
  return {
    status: statusCode,
    headers: { get: (name) => headers[name.toLowerCase()]?.toString() ?? null },
    body,
    text: () => text(body),
  }
}

/** Returns the body without compression. An unknown coding is left as it is, as in `fetch`. */
function decoded(response: IncomingMessage): Readable {
  const decoder = decoderOf(response.headers['content-encoding']?.toLowerCase())
  // The reader of the stream that is returned receives the error.
  return decoder ? pipeline(response, decoder, () => undefined) : response
}

/** As in `fetch`, an empty body is not an error. HTTP itself shows where an answer ends. */
function decoderOf(coding: string | undefined) {
  if (coding === 'br') return createBrotliDecompress({ finishFlush: constants.BROTLI_OPERATION_FLUSH })
  const isZlib = coding === 'gzip' || coding === 'deflate'
  return isZlib ? createUnzip({ finishFlush: constants.Z_SYNC_FLUSH }) : undefined
}
