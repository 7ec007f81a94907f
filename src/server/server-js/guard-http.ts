import type { IncomingMessage, ServerResponse } from 'node:http'
import type { JsonValue, ParsedMessage } from '@concordat/rpc'
import { ALLOWED_VERBS } from '../http/http-headers.js'
import { isJsonBody } from '../http/json-body.js'
import type { Answer } from '../protocol/encode-answer.js'
import { wholeText } from '../protocol/encode-answer.js'
import type { FailureId } from '../protocol/failures.js'
import type { RouterProtocol } from './router-protocol.js'

/** A request in middleware; `_body` is true after its body was read. */
type ReadRequest = IncomingMessage & { body?: JsonValue; _body?: boolean }
type Middleware = (request: ReadRequest, response: ServerResponse, next: () => void) => void

/** The used parts of an HTTP transport of the package, which its types do not expose. */
export interface HttpInternals {
  readonly options: {
    /** CORS, the JSON parser, and then the middleware of the user. */
    readonly middleware: readonly unknown[]
    readonly app: { readonly stack?: readonly { handle: unknown }[] }
  }
}

const ANSWERING = /^bound https?RouterHandler$/

/**
 * Replaces the body parser and the request handler of an HTTP or HTTPS transport. CORS and the user's
 * middleware stay in order, and may still change `request.body`.
 *
 * @returns false if these steps are not found, as in an `app` that is not from connect
 */
export function guardHttp({ options }: HttpInternals, protocol: RouterProtocol): boolean {
  const { middleware, app } = options
  const parsing = app.stack?.find(({ handle }) => handle === middleware[1])
  const answering = app.stack?.find(
    ({ handle }) => typeof handle === 'function' && ANSWERING.test(handle.name),
  )
  if (parsing === undefined || answering === undefined) return false
  const bodies = new WeakMap<IncomingMessage, ParsedMessage | FailureId>()

  const parse: Middleware = (request, _response, next) => {
    if (request._body) {
      next()
      return
    }
    readAll(request, protocol.limits.bodyBytes, (bytes) => {
      const body = bodyOf(request, bytes, protocol)
      bodies.set(request, body)
      request._body = true
      request.body = typeof body === 'string' ? {} : body.value
      next()
    })
  }

  const answer: Middleware = (request, response) => {
    const body = request.method === 'POST' ? bodies.get(request) : 'wrongVerb'
    const answered =
      typeof body === 'string'
        ? protocol.refuse(body, undefined)
        : protocol.answer({ value: request.body ?? null, rawIds: body?.rawIds }, undefined)
    Promise.resolve(answered)
      .then((settled) => write(response, settled, body === 'wrongVerb'))
      .catch(() => response.destroy())
  }

  parsing.handle = parse
  answering.handle = answer
  return true
}

/** Returns the parsed body, or the reason why it is refused. */
function bodyOf(
  { headers }: IncomingMessage,
  bytes: Uint8Array | undefined,
  protocol: RouterProtocol,
): ParsedMessage | FailureId {
  if (!isJsonBody(headers['content-type'], headers['content-encoding'])) return 'unsupportedMediaType'
  return bytes === undefined ? 'bodyTooLarge' : protocol.read(bytes)
}

/**
 * Reads a body to its end, and discards it if it is too large. `done` receives undefined for a too large
 * body.
 */
function readAll(
  request: IncomingMessage,
  bodyBytes: number,
  done: (bytes: Uint8Array | undefined) => void,
): void {
  const chunks: Buffer[] = []
  let length = 0
  request.on('data', (chunk: Buffer) => {
    length += chunk.length
    if (length <= bodyBytes) chunks.push(chunk)
    else chunks.length = 0
  })
  request.on('end', () => done(length <= bodyBytes ? Buffer.concat(chunks) : undefined))
  // A disconnected caller gets no answer.
  request.on('error', () => undefined)
}

async function write(
  response: ServerResponse,
  { status, headers, body }: Answer,
  isWrongVerb: boolean,
): Promise<void> {
  const text = body === null ? undefined : await wholeText(body)
  if (response.destroyed || response.headersSent) return
  response.statusCode = status
  for (const name in headers) response.setHeader(name, headers[name] ?? '')
  if (isWrongVerb) response.setHeader('allow', ALLOWED_VERBS)
  if (body !== null) response.setHeader('content-type', 'application/json')
  response.end(text)
}
