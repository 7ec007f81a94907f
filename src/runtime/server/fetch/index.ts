import type { JsonSource } from '@concordat/rpc'
import { ALLOWED_VERBS, fixedHeaders } from '../http/http-headers.js'
import { type HttpOptions, serviceEndpoint } from '../http/protocol-endpoint.js'
import { type Answer, failureAnswer, isSource } from '../protocol/encode-answer.js'
import { failureError } from '../protocol/failures.js'
import type { HttpSource } from '../protocol/http-source.js'
import { MessageRecipient } from '../protocol/message-recipient.js'
import type { RpcService } from '../service/create-service.js'
import type { MountOptions } from '../service/mount-options.js'

/** Options of {@link createFetchHandler}. */
export type FetchHandlerOptions<Context> = MountOptions<Request, Context> & HttpOptions

/** Answers one request, whatever its path. It never rejects. */
export type FetchHandler = (request: Request) => Promise<Response>

/**
 * Creates a handler of the Fetch standard, for Hono, Deno, Bun, workers and everything else that passes a `Request`. It
 * answers POST and OPTIONS, and every other verb with 405.
 */
export function createFetchHandler<Context>(options: FetchHandlerOptions<Context>): FetchHandler {
  const { service, cors } = options
  const { failures, limits } = service
  const fixed = fixedHeaders(cors, limits)

  function respond({ status, headers, body }: Answer, recipient = new MessageRecipient()): Response {
    const lines = body === null ? fixed.empty : fixed.json
    const all = new Headers()
    for (let at = 0; at < lines.length; at += 2) all.set(lines[at] ?? '', lines[at + 1] ?? '')
    for (const [name, value] of Object.entries(headers)) all.set(name, value)
    if (isSource(body)) return new Response(streamOf(body, recipient), { status, headers: all })
    recipient.finish()
    return new Response(body as Uint8Array<ArrayBuffer> | string | null, { status, headers: all })
  }

  const endpoint = serviceEndpoint(options, ({ sent }: FetchRequest) => sent)

  return async (request) => {
    if (request.method === 'OPTIONS') return respond({ status: 204, headers: fixed.preflight, body: null })
    const received = new FetchRequest(request, service)
    const problem = request.method === 'POST' ? undefined : 'wrongVerb'
    const answer = await endpoint.handle(received, problem)
    // A caller who has disconnected does not receive this answer.
    if (answer === undefined) return respond(failureAnswer(failures.invalidRequest))
    if (problem === undefined) return respond(answer, received.response)
    return respond({ ...answer, headers: { ...answer.headers, allow: ALLOWED_VERBS } })
  }
}

/** A request of the Fetch standard. */
class FetchRequest implements HttpSource {
  readonly sent: Request
  readonly ip = undefined
  readonly response = new MessageRecipient()
  readonly #rules: Pick<RpcService<unknown>, 'failures' | 'limits'>

  constructor(sent: Request, rules: Pick<RpcService<unknown>, 'failures' | 'limits'>) {
    this.sent = sent
    this.#rules = rules
    if (sent.signal.aborted) this.response.close()
    else sent.signal.addEventListener('abort', () => this.response.close(), { once: true })
  }

  get method(): string {
    return this.sent.method
  }

  get headers(): Readonly<Record<string, string>> {
    return Object.fromEntries(this.sent.headers)
  }

  async readBody(): Promise<Uint8Array | undefined> {
    const { failures, limits } = this.#rules
    const body = await readBody(this.sent, limits.bodyBytes)
    if (body === 'bodyTooLarge') throw failureError(failures.bodyTooLarge)
    return body
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

/**
 * A streamed text as a stream of the Streams standard, read on demand.
 * @param recipient is told of the end
 */
function streamOf(source: JsonSource, recipient: MessageRecipient): ReadableStream<Uint8Array> {
  const next = async () => {
    try {
      return await source.next()
    } catch (cause) {
      recipient.close()
      throw cause
    }
  }
  return new ReadableStream({
    async pull(controller) {
      const piece = await next()
      if (piece !== undefined) controller.enqueue(Uint8Array.from(piece))
      else {
        recipient.finish()
        controller.close()
      }
    },
    cancel() {
      recipient.close()
      source.cancel()
    },
  })
}
