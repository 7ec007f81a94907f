import { type IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { JsonSource } from '../rpc/index.js'
import { isSource } from './answer-text.js'
import type { FixedHeaders } from './http-headers.js'
import type { Limits } from './limits.js'
import type { Answer } from './protocol-options.js'

/** What came of a request, as far as the steps around a protocol handler look at it; Node's messages are such. */
export type EdgeMessage = Pick<
  IncomingMessage,
  'method' | 'httpVersion' | 'headers' | 'complete' | 'destroyed' | 'socket'
> & {
  /** Names and values in turn, as they came; absent where no header came twice. */
  readonly rawHeaders?: readonly string[]
}

/** What is written in response to it; Node's responses are such. */
export interface EdgeResponse {
  readonly req: Pick<IncomingMessage, 'headers'>
  /** True when the answer is behind it, or its connection gone. */
  readonly destroyed: boolean
  readonly headersSent: boolean
  readonly writableFinished: boolean
  /** Bytes that the system has not taken yet. */
  readonly writableLength: number
  getHeader(name: string): unknown
  setHeader(name: string, value: string): unknown
  /** @param lines names and values of headers in turn */
  writeHead(status: number, lines: string[]): unknown
  write(piece: string | Uint8Array, taken?: () => void): boolean
  end(piece?: string | Uint8Array): unknown
  destroy(): unknown
  /** Ends the connection when nothing moves on it for so long; 0 for ever. */
  setTimeout(milliseconds: number): unknown
  once(event: 'close', listener: () => void): unknown
  off(event: 'close', listener: () => void): unknown
}

/** A request, as far as the steps around a protocol handler look at it; Fastify's are such. */
export interface EdgeRequest {
  readonly raw: EdgeMessage
  readonly headers: IncomingHttpHeaders
  /** The parameters of its path. */
  readonly params: unknown
  /** The client's address, behind the proxies that are believed. */
  readonly ip: string
  /** Bytes or text, once they were read. */
  readonly body?: unknown
}

/** The response to it; Fastify's are such. */
export interface EdgeReply {
  readonly raw: EdgeResponse
  /** Tells that it is answered here, and by nobody else. */
  hijack(): unknown
  /**
   * Writes a whole answer at once, where that costs less than its parts.
   * @param lines of its head, each with its end, but for the length
   * @param close whether the connection ends behind it
   */
  answer?(status: number, lines: string, body: string | Uint8Array | null, close: boolean): void
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
 * Makes the sender of one set of routes. A caller who takes nothing of an answer for `answerStallSeconds`, or for up to
 * twice that where the system took a part, is cut off:
 * answers that wait are memory.
 */
export function createSender(
  fixed: FixedHeaders,
  { bodyBytes, answerStallSeconds }: Pick<Limits, 'bodyBytes' | 'answerStallSeconds'>,
  isDraining: () => boolean,
): Sender {
  const stallMilliseconds = answerStallSeconds * MILLISECONDS
  const fixedText = { json: headText(fixed.json), empty: headText(fixed.empty) }

  /** The lines of a head but for the length, as text. */
  function textOf({ headers, body }: Answer): string {
    const kind = body === null ? 'empty' : 'json'
    let text = headers[ALLOW_ORIGIN] === undefined ? fixedText[kind] : headText(linesOf(fixed[kind], headers))
    for (const name in headers) text += `${name}: ${headers[name]}\r\n`
    return text
  }

  function writeHead(response: EdgeResponse, answer: Answer, close: boolean): void {
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
      if (isSource(body)) {
        writeHead(response, answer, isDraining())
        sendPieces(response, body, stallMilliseconds)
        return
      }
      if (reply.answer === undefined) {
        writeHead(response, answer, isDraining())
        response.end(body ?? undefined)
      } else reply.answer(answer.status, textOf(answer), body, isDraining())
      // Node sets another time-out once the answer is gone, and counts as progress what the system took.
      if (response.writableLength > 0) response.setTimeout(stallMilliseconds)
    },
    sendUnread(request, reply, answer) {
      const close = isDraining()
      const { raw } = request
      const isDone = raw.complete || !hasBody(raw) || (!close && endsSoon(raw, bodyBytes))
      if (isDone || !(raw instanceof IncomingMessage)) {
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

/** Lines of a head as text, from names and values in turn. */
export function headText(lines: readonly string[]): string {
  let text = ''
  for (let at = 0; at < lines.length; at += 2) text += `${lines[at]}: ${lines[at + 1]}\r\n`
  return text
}

/** The fixed lines, without the origin that may read the answer where the answer names its own. */
function linesOf(fixed: readonly string[], headers: Answer['headers']): string[] {
  if (headers[ALLOW_ORIGIN] === undefined) return [...fixed]
  const at = fixed.indexOf(ALLOW_ORIGIN)
  return fixed.toSpliced(at, 2)
}

/** Sends an answer while it is made, as fast as the caller takes it. What fails on the way ends the connection. */
async function sendPieces(
  response: EdgeResponse,
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
async function taken(response: EdgeResponse, piece: Uint8Array, stallMilliseconds: number): Promise<void> {
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
function linger(request: IncomingMessage, response: EdgeResponse): void {
  const finish = (): void => {
    clearTimeout(timer)
    response.end()
  }
  const timer = setTimeout(finish, LINGER_MILLISECONDS)
  request.once('end', finish)
  request.once('close', finish)
  request.resume()
}

function hasBody({ headers }: EdgeMessage): boolean {
  if (headers['transfer-encoding'] !== undefined) return true
  return headers['content-length'] !== undefined && headers['content-length'] !== '0'
}

function endsSoon({ headers }: EdgeMessage, bodyBytes: number): boolean {
  return headers['transfer-encoding'] === undefined && Number(headers['content-length']) <= bodyBytes
}
