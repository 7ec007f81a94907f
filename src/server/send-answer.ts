import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { JsonSource } from '../rpc/index.js'
import { isSource } from './answer-text.js'
import type { FixedHeaders } from './http-headers.js'
import type { Limits } from './limits.js'
import type { Answer } from './protocol-options.js'

/** A request, as far as the steps around a protocol handler look at it; Fastify's are such. */
export interface EdgeRequest {
  readonly raw: IncomingMessage
  readonly headers: IncomingHttpHeaders
  /** The parameters of its path. */
  readonly params: unknown
  /** The client's address, behind the proxies that are believed. */
  readonly ip: string
  /** Bytes, once they were read. */
  readonly body?: unknown
}

/** The response to it; Fastify's are such. */
export interface EdgeReply {
  readonly raw: ServerResponse
  /** Tells that it is answered here, and by nobody else. */
  hijack(): unknown
}

/** Writes answers; the connection ends behind one when the server is stopping. */
export interface Sender {
  /** Answers a request whose body was read. */
  send(reply: EdgeReply, answer: Answer): void
  /**
   * Answers a request whose body was not read, or not to its end. A short body is read and dropped and the
   * connection stays; behind a long one or one of unknown length it ends.
   */
  sendUnread(request: EdgeRequest, reply: EdgeReply, answer: Answer): void
}

/**
 * How long the rest of a body is still read and dropped before its connection is closed, so that the caller
 * gets to read the answer in place of a reset.
 */
export const LINGER_MILLISECONDS = 1_000

const MILLISECONDS = 1_000

/**
 * Makes the sender of one set of routes. A caller who takes nothing of an answer for `answerStallSeconds` is cut off:
 * answers that wait are memory.
 */
export function createSender(
  fixed: FixedHeaders,
  { bodyBytes, answerStallSeconds }: Pick<Limits, 'bodyBytes' | 'answerStallSeconds'>,
  isDraining: () => boolean,
): Sender {
  const stallMilliseconds = answerStallSeconds * MILLISECONDS

  function writeHead(response: ServerResponse, answer: Answer, close: boolean): void {
    const { status, headers, body } = answer
    const lines = linesOf(body === null ? fixed.empty : fixed.json, headers)
    if (body !== null && !isSource(body)) lines.push('content-length', String(Buffer.byteLength(body)))
    for (const name in headers) lines.push(name, headers[name] ?? '')
    if (close) lines.push('connection', 'close')
    response.writeHead(status, lines)
  }

  return {
    send(reply, answer) {
      reply.hijack()
      const response = reply.raw
      const { body } = answer
      if (response.destroyed || response.headersSent) {
        if (isSource(body)) body.cancel()
        return
      }
      writeHead(response, answer, isDraining())
      if (isSource(body)) {
        sendPieces(response, body, stallMilliseconds)
        return
      }
      response.end(body ?? undefined)
      // Node sets another time-out once the answer is gone, and counts as progress what the system took.
      if (response.writableLength > 0) response.setTimeout(stallMilliseconds)
    },
    sendUnread(request, reply, answer) {
      const close = isDraining()
      const { raw } = request
      if (raw.complete || !hasBody(raw) || (!close && endsSoon(raw, bodyBytes))) {
        this.send(reply, answer)
        return
      }
      reply.hijack()
      const response = reply.raw
      if (response.destroyed || response.headersSent) return
      writeHead(response, answer, true)
      if (answer.body !== null && !isSource(answer.body)) response.write(answer.body)
      linger(raw, response)
    },
  }
}

const ALLOW_ORIGIN = 'access-control-allow-origin'

/** The fixed lines, without the origin that may read the answer where the answer names its own. */
function linesOf(fixed: readonly string[], headers: Answer['headers']): string[] {
  if (headers[ALLOW_ORIGIN] === undefined) return [...fixed]
  const at = fixed.indexOf(ALLOW_ORIGIN)
  return fixed.toSpliced(at, 2)
}

/** Sends an answer while it is made, as fast as the caller takes it. What fails on the way ends the connection. */
async function sendPieces(
  response: ServerResponse,
  source: JsonSource,
  stallMilliseconds: number,
): Promise<void> {
  try {
    for (let piece = await source.next(); piece !== undefined; piece = await source.next()) {
      if (response.destroyed) return
      await taken(response, piece, stallMilliseconds)
    }
    response.end()
    if (response.writableLength > 0) response.setTimeout(stallMilliseconds)
  } catch {
    // Whoever made the source has told of it; without the last chunk the caller knows that the answer is not whole.
    response.destroy()
  } finally {
    source.cancel()
  }
}

/** Writes a piece and waits until it is on its way, or the caller is gone; one who takes nothing is cut off. */
async function taken(response: ServerResponse, piece: Uint8Array, stallMilliseconds: number): Promise<void> {
  await new Promise<void>((resolve) => {
    response.once('close', resolve)
    const isTaken = response.write(piece, () => {
      response.off('close', resolve)
      resolve()
    })
    if (!isTaken) response.setTimeout(stallMilliseconds)
    if (response.destroyed) resolve()
  })
  response.setTimeout(0)
}

/** Reads and drops what still comes, for a bounded time, and then ends the response and its connection. */
function linger(request: IncomingMessage, response: ServerResponse): void {
  const finish = (): void => {
    clearTimeout(timer)
    response.end()
  }
  const timer = setTimeout(finish, LINGER_MILLISECONDS)
  request.once('end', finish)
  request.once('close', finish)
  request.resume()
}

function hasBody({ headers }: IncomingMessage): boolean {
  if (headers['transfer-encoding'] !== undefined) return true
  return headers['content-length'] !== undefined && headers['content-length'] !== '0'
}

function endsSoon({ headers }: IncomingMessage, bodyBytes: number): boolean {
  return headers['transfer-encoding'] === undefined && Number(headers['content-length']) <= bodyBytes
}
