import type { IncomingMessage, ServerResponse } from 'node:http'
import type { JsonValue, ParsedMessage } from '@concordat/rpc'
import { ALLOWED_VERBS, fixedHeaders } from '../http/http-headers.js'
import { bodyProblem } from '../http/json-body.js'
import { NodeRequest } from '../http/node-request.js'
import { createSendAnswer } from '../http/send-answer.js'
import type { FailureId } from '../protocol/failures.js'
import type { RouterProtocol } from './router-protocol.js'

/** A request in middleware; `_body` is true after its body was read. */
type ReadRequest = IncomingMessage & { body?: JsonValue; _body?: boolean }
type Middleware = (request: ReadRequest, response: ServerResponse, next: () => void) => Promise<void>

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
  const { limits, failures } = protocol
  const bodies = new WeakMap<IncomingMessage, ParsedMessage | FailureId>()
  // The middleware of the package sets the headers of CORS.
  const send = createSendAnswer(fixedHeaders({ allowOrigin: null }, limits), limits, () => false)

  const parse: Middleware = async (request, response, next) => {
    if (request._body) {
      next()
      return
    }
    const rules = { limits, failures, addressOf: () => '' }
    const body =
      bodyProblem(request.headers, limits) ??
      (await new NodeRequest(request, response, undefined, {}, rules).readBody().then(
        (read) => (read === undefined ? undefined : protocol.read(read)),
        () => 'bodyTooLarge' as const,
      ))
    // The caller has disconnected.
    if (body === undefined) return
    bodies.set(request, body)
    request._body = true
    request.body = typeof body === 'string' ? {} : body.value
    next()
  }

  const answer: Middleware = async (request, response) => {
    const body = request.method === 'POST' ? bodies.get(request) : 'wrongVerb'
    const answered =
      typeof body === 'string'
        ? protocol.refuse(body, undefined)
        : await protocol.answer({ value: request.body ?? null, rawIds: body?.rawIds }, undefined)
    const headers = body === 'wrongVerb' ? { ...answered.headers, allow: ALLOWED_VERBS } : answered.headers
    const ip = request.socket.remoteAddress ?? ''
    send({ raw: request, ip, response }, { ...answered, headers })
  }

  parsing.handle = parse
  answering.handle = answer
  return true
}
