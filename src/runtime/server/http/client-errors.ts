import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { failureAnswer } from '../protocol/encode-answer.js'
import type { FailureId, Failures } from '../protocol/failures.js'
import type { Limits } from '../protocol/limits.js'
import type { FixedHeaders } from './http-headers.js'
import { headText } from './send-answer.js'

/** A request that Node's HTTP parser rejected, or that did not arrive in time. */
export type ClientError = Error & { readonly code?: string | undefined }

/** Node's internal reference to the current response of a connection; it has no public name. */
type HttpSocket = Socket & {
  readonly _httpMessage?: (ServerResponse & { readonly req: IncomingMessage }) | null
}

/**
 * Called for each unreadable request, before it is answered.
 * @returns additional headers of the answer
 */
export type OnUnreadable = (failure: FailureId, socket: Socket) => Readonly<Record<string, string>>

const MILLISECONDS = 1_000
const TIMED_OUT = 'ERR_HTTP_REQUEST_TIMEOUT'
const FAILURE_BY_CODE: Readonly<Record<string, FailureId>> = {
  [TIMED_OUT]: 'slowBody',
  HPE_HEADER_OVERFLOW: 'headersTooLarge',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 'bodyTooLarge',
}

/**
 * Answers unreadable requests with a JSON-RPC error and closes the connection. The status is 408 for a slow
 * request, 431 for too many headers, and otherwise 400. Earlier complete requests on the connection are
 * answered first.
 */
export function createClientErrorHandler(
  failures: Failures,
  fixed: FixedHeaders,
  {
    drainSeconds,
    headerTimeoutSeconds,
    requestTimeoutSeconds,
  }: Pick<Limits, 'drainSeconds' | 'headerTimeoutSeconds' | 'requestTimeoutSeconds'>,
  onUnreadable: OnUnreadable = () => ({}),
): (error: ClientError, socket: Socket) => void {
  const ended = new WeakSet<Socket>()

  /**
   * Answers after the pending responses. Node continues with the next response once the current one is
   * closed.
   */
  function answerInTurn(error: ClientError, socket: Socket): void {
    const due = (socket as HttpSocket)._httpMessage
    if (due?.req.complete) {
      due.once('close', () => answerInTurn(error, socket))
      return
    }
    if (!socket.writable) {
      socket.destroySoon()
      return
    }
    if (due?.headersSent) {
      // Node corks the start of a response until the next tick. Destroying the connection earlier would lose
      // it.
      process.nextTick(() => socket.destroy())
      return
    }
    const failure = FAILURE_BY_CODE[error.code ?? ''] ?? 'invalidRequest'
    const own = onUnreadable(failure, socket)
    // Without a response object, the headers are incomplete, and the shorter of both timeouts applies.
    const limit = due ? requestTimeoutSeconds : Math.min(headerTimeoutSeconds, requestTimeoutSeconds)
    const details = failure === 'slowBody' ? { bound: { limit, unit: 'seconds' } } : undefined
    const { status, body } = failureAnswer(failures[failure], details)
    socket.write(rawResponse(status, String(body), [...fixed.json, ...Object.entries(own).flat()]))
    if (error.code === TIMED_OUT) socket.destroySoon()
    else endLater(socket, drainSeconds * MILLISECONDS)
  }

  return function answerClientError(error, socket) {
    if (ended.has(socket)) return
    ended.add(socket)
    answerInTurn(error, socket)
  }
}

/** Gives the caller time to read the answer, because the caller may still be sending. */
function endLater(socket: Socket, milliseconds: number): void {
  const timer = setTimeout(() => socket.destroy(), milliseconds)
  socket.once('close', () => clearTimeout(timer))
  socket.end()
}

/**
 * Formats a response with a JSON body, after which the connection closes.
 * @param lines names and values of further headers alternately
 */
export function rawResponse(status: number, body: string, lines: readonly string[] = []): string {
  const length = ['content-length', String(Buffer.byteLength(body)), 'connection', 'close']
  return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${headText([...lines, ...length])}\r\n${body}`
}
