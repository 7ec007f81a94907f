import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { type Duplex, Readable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import type { AttemptLimits, AttemptRequest, Connections } from './connections.js'
import { decodeBody, utf8Text } from './decode-body.js'
import type { Reply } from './exchange.js'
import { sendDefaults } from './send-defaults.js'
import { AnswerRefused, StaleConnection, transportTrouble } from './transport-trouble.js'

/**
 * Creates connections.
 * @param count maximum number of concurrent connections
 * @param keepAlive true to reuse connections
 * @param localAddress address of this machine to connect from; by default, the system chooses it
 */
export function createConnections(count: number, keepAlive: boolean, localAddress?: string): Connections {
  const options = {
    keepAlive,
    maxSockets: count,
    maxFreeSockets: count,
    timeout: sendDefaults.idleConnectionMilliseconds,
    ...(localAddress !== undefined && { localAddress }),
  }
  const agents = { 'http:': new HttpAgent(options), 'https:': new HttpsAgent(options) }
  return {
    attempt: async (request, limits) => {
      const agent = request.url.protocol === 'https:' ? agents['https:'] : agents['http:']
      const held = request.pauses.reduce((sum, { milliseconds }) => sum + milliseconds, 0)
      const time = timeBound({ ...limits, timeoutMilliseconds: limits.timeoutMilliseconds + held })
      try {
        const { response, broken } = await Promise.race([send(request, agent, time.signal), time.over])
        const reply = readReply(response, request.verb, limits.maximumBytes)
        return await Promise.race([broken, reply, time.over])
      } finally {
        // Aborts what is still in flight. A connection with a partial response cannot be reused.
        time.end()
      }
    },
    close: () => {
      agents['http:'].destroy()
      agents['https:'].destroy()
    },
  }
}

/** The head of a response. */
interface Received {
  readonly response: IncomingMessage
  /** Rejects when the bytes that follow are not HTTP, such as those beyond the announced length. */
  readonly broken: Promise<never>
}

/**
 * Sends a request, and waits for the head of its response. Redirects are not followed, since the redirect itself is
 * judged.
 * @throws StaleConnection if a reused connection was closed before the response
 */
function send(request: AttemptRequest, agent: HttpAgent, signal: AbortSignal): Promise<Received> {
  const { verb, url, body, pauses } = request
  const headers = { ...(body === undefined ? {} : { 'content-length': body.length }), ...request.headers }
  return new Promise((resolve, reject) => {
    let breakOff: (error: Error) => void = () => undefined
    const broken = new Promise<never>((_resolve, fail) => {
      breakOff = fail
    })
    // The answer may be complete when the error comes.
    broken.catch(() => undefined)
    const start = url.protocol === 'https:' ? httpsRequest : httpRequest
    const outgoing = start(url, { method: verb, headers, agent, signal })
    // A server that switches protocols sends no body.
    const onSwitch = (response: IncomingMessage, socket: Duplex) => {
      socket.destroy()
      resolve({ response, broken })
    }
    outgoing
      .on('response', (response) => resolve({ response, broken }))
      .once('upgrade', onSwitch)
      .once('connect', onSwitch)
      // A server that refuses a large body early may reset the connection after its response, which is still judged.
      .on('error', (error: NodeJS.ErrnoException) => {
        if (error.code?.startsWith('HPE_')) breakOff(error)
        const isStale = outgoing.reusedSocket && transportTrouble(error, '').kind === 'reset'
        reject(isStale ? new StaleConnection('the connection was closed', { cause: error }) : error)
      })
    if (body !== undefined && pauses.length > 0)
      Readable.from(inPieces(body, pauses, signal))
        .on('error', ignore)
        .pipe(outgoing)
    else outgoing.end(body)
  })
}

const ignore = () => undefined

/** Yields a body in pieces, with pauses between them. */
async function* inPieces(
  body: Uint8Array,
  pauses: AttemptRequest['pauses'],
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  let from = 0
  for (const { at, milliseconds } of pauses) {
    if (at > from) yield body.subarray(from, at)
    from = at
    await wait(milliseconds, undefined, { signal })
  }
  if (from < body.length) yield body.subarray(from)
}

/** Limits the time of an attempt. The attempt ends after the timeout or when the signal aborts. */
function timeBound({ timeoutMilliseconds, signal }: AttemptLimits) {
  const controller = new AbortController()
  let giveUp: (reason: AnswerRefused) => void = () => {}
  const over = new Promise<never>((_resolve, reject) => {
    giveUp = reject
  })
  // A late rejection without a listener would end the process.
  over.catch(() => {})
  const end = (reason?: AnswerRefused) => {
    if (reason !== undefined) giveUp(reason)
    controller.abort()
  }
  const seconds = timeoutMilliseconds / 1000
  const late = new AnswerRefused('timeout', `No complete answer arrived within ${seconds} s.`)
  const timer = setTimeout(() => end(late), timeoutMilliseconds)
  const stop = () => end(new AnswerRefused('other', 'The run was stopped before the answer arrived.'))
  signal.addEventListener('abort', stop, { once: true })
  if (signal.aborted) stop()
  return {
    signal: controller.signal,
    over,
    end: () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', stop)
      end()
    },
  }
}

async function readReply(response: IncomingMessage, verb: string, maximumBytes: number): Promise<Reply> {
  const { statusCode: status = 0, headersDistinct } = response
  const headers = Object.fromEntries(
    Object.entries(headersDistinct).map(([name, values = []]) => [name, values.join(', ')]),
  )
  const isSwitch = status === 101 || verb.toUpperCase() === 'CONNECT'
  const isEmpty = isSwitch || verb.toUpperCase() === 'HEAD' || status === 204 || status === 304
  const tooLarge = new AnswerRefused('too-large', `The answer is larger than ${maximumBytes} bytes.`)
  if (!isEmpty && Number(headers['content-length'] ?? 0) > maximumBytes) throw tooLarge
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of isSwitch ? [] : response) {
    size += chunk.length
    if (size > maximumBytes) throw tooLarge
    chunks.push(chunk)
  }
  const announced = headers['content-length']
  if (!isEmpty && announced !== undefined && size !== Number(announced)) {
    // If invalid HTTP follows a response, the connection closes without any other sign of lost bytes.
    throw new AnswerRefused('reset', `Only ${size} of ${announced} bytes of the answer's body arrived.`)
  }
  const bytes = await decoded(Buffer.concat(chunks), headers['content-encoding'] ?? '', maximumBytes)
  return { status, headers, bytes, text: utf8Text(bytes) }
}

/**
 * Decodes a body by its content-encoding.
 * @throws AnswerRefused for a broken, too large or unknown one
 */
export async function decoded(bytes: Uint8Array, coding: string, maximumBytes: number): Promise<Uint8Array> {
  if (bytes.length === 0) return bytes
  const body = await decodeBody(bytes, coding, maximumBytes)
  if (body instanceof Uint8Array) return body
  if (body === 'too-large') {
    throw new AnswerRefused('too-large', `The answer, decompressed, is larger than ${maximumBytes} bytes.`)
  }
  const name = JSON.stringify(coding)
  throw new AnswerRefused(
    'bad-encoding',
    body === 'broken'
      ? `The answer's content-encoding is ${name}, but its body cannot be decoded.`
      : `The answer's content-encoding is ${name}, which was not requested and is not supported.`,
  )
}
