import { type IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { JsonSource } from '@concordat/rpc'
import type { Body } from '../protocol/answer-message.js'
import type { Answer } from '../protocol/encode-answer.js'
import { isSource } from '../protocol/encode-answer.js'
import type { Limits } from '../protocol/limits.js'
import { dropBody, dropShortBody } from './drop-body.js'
import type { FixedHeaders } from './http-headers.js'

/** The used part of an incoming HTTP message; compatible with Node's messages. */
export type EdgeMessage = Pick<
  IncomingMessage,
  'method' | 'httpVersion' | 'headers' | 'complete' | 'destroyed' | 'socket'
> & {
  /** Names and values alternately, as received; absent if no header is repeated. */
  readonly rawHeaders?: readonly string[]
}

/** The HTTP response to a request; compatible with Node's responses. */
export interface EdgeResponse {
  /** True after the answer was sent or the connection closed. */
  readonly destroyed: boolean
  readonly headersSent: boolean
  readonly writableFinished: boolean
  /** Bytes that the operating system has not accepted yet. */
  readonly writableLength: number
  /** @param lines names and values of headers alternately */
  writeHead(status: number, lines: string[]): unknown
  write(piece: string | Uint8Array, taken?: () => void): boolean
  /** Sends the headers before any other part of the answer. */
  flushHeaders?(): void
  end(piece?: string | Uint8Array): unknown
  destroy(): unknown
  /** Closes the connection after this idle time, in milliseconds; 0 disables the timeout. */
  setTimeout(milliseconds: number): unknown
  once(event: 'close', listener: () => void): unknown
  off(event: 'close', listener: () => void): unknown
  /**
   * Writes a complete answer in one step, where that is faster.
   * @param lines the header lines, without the length
   * @param close whether the connection closes after the answer
   */
  answer?(status: number, lines: string, body: string | Uint8Array | null, close: boolean): void
}

/** An HTTP request as the context function of a server gets it. */
export interface ServerRequest {
  readonly method: string | undefined
  readonly headers: IncomingHttpHeaders
  /** The path parameters, such as `key` of `/:key`. */
  readonly params: Readonly<Record<string, string | undefined>>
  /** The client's address, as reported by trusted proxies. */
  readonly ip: string
}

/** An HTTP request of any transport. */
export interface EdgeRequest extends ServerRequest {
  readonly raw: EdgeMessage
  readonly response: EdgeResponse
  /**
   * Reads the body, up to the limit `bodyBytes`. Rejects with the failure `bodyTooLarge`.
   * @returns undefined when the caller disconnects first
   */
  readBody(): Body | undefined | Promise<Body | undefined>
  /** Returns the body if all of it has arrived and nothing has read it yet. Never waits. */
  arrivedBody(): Body | undefined
}

/**
 * Sends the answer to a request. An unread rest of the body is received and dropped; after a long or unknown body the
 * connection closes.
 */
export type SendAnswer = (request: AnsweredRequest, answer: Answer) => void

/** The parts of a request that its answer depends on. */
export type AnsweredRequest = Pick<EdgeRequest, 'raw' | 'response' | 'ip'>

const MILLISECONDS = 1_000

/**
 * Creates the function that sends answers. A caller who accepts no data for `answerStallSeconds` is
 * disconnected, because pending answers use memory. This can take twice as long if the operating system has
 * accepted a part of the data.
 */
export function createSendAnswer(
  fixed: FixedHeaders,
  limits: Pick<Limits, 'bodyBytes' | 'drainBytes' | 'drainSeconds' | 'answerStallSeconds'>,
  isDraining: () => boolean,
): SendAnswer {
  const stallMilliseconds = limits.answerStallSeconds * MILLISECONDS
  const fixedText = { json: headText(fixed.json), empty: headText(fixed.empty) }

  /** The header lines, without the length, as text. */
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

  function send(response: EdgeResponse, answer: Answer): void {
    const { status, body } = answer
    if (isSource(body)) {
      writeHead(response, answer, isDraining())
      sendPieces(response, body, stallMilliseconds)
      return
    }
    if (response.answer === undefined) {
      writeHead(response, answer, isDraining())
      response.end(body ?? undefined)
    } else response.answer(status, textOf(answer), body, isDraining())
    // Node sets another timeout after the answer, and counts data that the system accepted as progress.
    if (response.writableLength > 0) response.setTimeout(stallMilliseconds)
  }

  return (request, answer) => {
    const { raw, response } = request
    const { body } = answer
    if (response.destroyed || response.headersSent) {
      if (isSource(body)) body.cancel()
      return
    }
    if (raw.complete || !hasBody(raw) || !(raw instanceof IncomingMessage)) {
      send(response, answer)
      return
    }
    const isShort = !isDraining() && isUpTo(Math.min(SHORT_BYTES, limits.bodyBytes), raw)
    writeHead(response, answer, !isShort)
    if (body === null) response.flushHeaders?.()
    else if (!isSource(body)) response.write(body)
    // Node closes the connection after the response. It must not close while the caller sends, also if it was asked to.
    const finish = (): void => void response.end()
    const address = request.ip
    if (isShort) dropShortBody(raw, { address }, finish)
    else if (isUpTo(limits.bodyBytes, raw)) dropBody(raw, { address }, finish)
    else dropBody(raw, { address, bytes: limits.drainBytes, seconds: limits.drainSeconds }, finish)
  }
}

/** The connection stays open after a refused body of this size, in bytes, which usually arrives in one chunk. */
const SHORT_BYTES = 65_536

const ALLOW_ORIGIN = 'access-control-allow-origin'

/** Formats header lines from alternating names and values. */
export function headText(lines: readonly string[]): string {
  let text = ''
  for (let at = 0; at < lines.length; at += 2) text += `${lines[at]}: ${lines[at + 1]}\r\n`
  return text
}

/** The fixed lines, without the allowed origin when the answer has its own. */
function linesOf(fixed: readonly string[], headers: Answer['headers']): string[] {
  const at = headers[ALLOW_ORIGIN] === undefined ? -1 : fixed.indexOf(ALLOW_ORIGIN)
  return at < 0 ? [...fixed] : fixed.toSpliced(at, 2)
}

/** Streams an answer with back-pressure. A failure closes the connection. */
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
    // The source reports its failure. Without the last chunk the caller knows that the answer is incomplete.
    response.destroy()
  } finally {
    source.cancel()
  }
}

/** Writes a piece and waits until it is sent or the connection closes. A stalled caller is disconnected. */
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

function hasBody({ headers }: EdgeMessage): boolean {
  if (headers['transfer-encoding'] !== undefined) return true
  return headers['content-length'] !== undefined && headers['content-length'] !== '0'
}

function isUpTo(bytes: number, { headers }: EdgeMessage): boolean {
  return headers['transfer-encoding'] === undefined && Number(headers['content-length']) <= bytes
}
