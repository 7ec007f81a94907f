import type { JsonSource } from '@concordat/rpc'
import { ALLOWED_VERBS, fixedHeaders } from '../http/http-headers.js'
import { type BodyHeaders, bodyProblem } from '../http/json-body.js'
import { type Answer, failureAnswer, isSource } from '../protocol/encode-answer.js'
import { contextOf, type HttpOptions, type MountOptions } from '../service/mount-options.js'

/** Options of {@link createFetchHandler}. */
export type FetchHandlerOptions<Context> = MountOptions<Request, Context> & HttpOptions

/** Answers one request, whatever its path. It never rejects. */
export type FetchHandler = (request: Request) => Promise<Response>

/**
 * Creates a handler of the Fetch standard, for Hono, Deno, Bun, workers and everything else that passes a `Request`. It
 * answers POST and OPTIONS, and every other verb with 405.
 */
export function createFetchHandler<Context>(options: FetchHandlerOptions<Context>): FetchHandler {
  const { service, cors, contentTypes } = options
  const { failures, limits } = service
  const contextFor = contextOf(options)
  const fixed = fixedHeaders(cors, limits)

  function respond({ status, headers, body }: Answer): Response {
    const lines = body === null ? fixed.empty : fixed.json
    const all = new Headers()
    for (let at = 0; at < lines.length; at += 2) all.set(lines[at] ?? '', lines[at + 1] ?? '')
    for (const [name, value] of Object.entries(headers)) all.set(name, value)
    return new Response(isSource(body) ? streamOf(body) : (body as Uint8Array<ArrayBuffer> | string | null), {
      status,
      headers: all,
    })
  }

  async function answer(request: Request): Promise<Answer> {
    const exchange = service.begin(await contextFor(request))
    const disconnect = () => exchange.disconnect()
    // The caller may have gone while the context was created.
    if (request.signal.aborted) disconnect()
    request.signal.addEventListener('abort', disconnect)
    try {
      const unread = bodyProblem(bodyHeaders(request), limits, contentTypes)
      if (unread !== undefined) return await service.refuse(unread, exchange)
      const body = await readBody(request, limits.bodyBytes)
      if (body === 'bodyTooLarge') return await service.refuse(body, exchange)
      // The caller has disconnected and does not receive this answer.
      if (body === undefined) return failureAnswer(failures.invalidRequest)
      return await service.handle(body, exchange)
    } finally {
      request.signal.removeEventListener('abort', disconnect)
    }
  }

  return async (request) => {
    if (request.method === 'OPTIONS') return respond({ status: 204, headers: fixed.preflight, body: null })
    if (request.method !== 'POST')
      return respond({ ...failureAnswer(failures.wrongVerb), headers: { allow: ALLOWED_VERBS } })
    try {
      return respond(await answer(request))
    } catch (cause) {
      return respond(service.fail(cause))
    }
  }
}

function bodyHeaders({ headers }: Request): BodyHeaders {
  const read = (name: string) => headers.get(name) ?? undefined
  return {
    'content-type': read('content-type'),
    'content-encoding': read('content-encoding'),
    'content-length': read('content-length'),
  }
}

/** Reads a body up to a limit; returns undefined if the caller disconnects first. */
async function readBody(
  { body }: Request,
  bodyBytes: number,
): Promise<Uint8Array | 'bodyTooLarge' | undefined> {
  const pieces: Uint8Array[] = []
  let length = 0
  try {
    for await (const piece of (body ?? []) as AsyncIterable<Uint8Array>) {
      length += piece.length
      if (length > bodyBytes) return 'bodyTooLarge'
      pieces.push(piece)
    }
  } catch {
    return undefined
  }
  return Buffer.concat(pieces, length)
}

/** A streamed text as a stream of the Streams standard, read on demand. */
function streamOf(source: JsonSource): ReadableStream<Uint8Array> {
  return new ReadableStream({
    async pull(controller) {
      const piece = await source.next()
      if (piece === undefined) controller.close()
      else controller.enqueue(Uint8Array.from(piece))
    },
    cancel: () => source.cancel(),
  })
}
