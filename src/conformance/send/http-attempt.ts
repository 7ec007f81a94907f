import { type ClientRequest, Agent as HttpAgent, type IncomingMessage } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import type { Socket } from 'node:net'
import { type Duplex, Readable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import nodeFetch, { type RequestInit, type Response } from 'node-fetch'
import type { AttemptLimits, AttemptRequest, Connections } from './connections.js'
import { decodeBody, utf8Text } from './decode-body.js'
import type { Reply } from './exchange.js'
import { sendDefaults } from './send-defaults.js'
import { AnswerRefused, StaleConnection, transportTrouble } from './transport-trouble.js'

/**
 * Creates connections.
 * @param count maximum number of concurrent connections
 * @param keepAlive true to reuse connections
 */
export function createConnections(count: number, keepAlive: boolean): Connections {
  const options = {
    keepAlive,
    maxSockets: count,
    maxFreeSockets: count,
    timeout: sendDefaults.idleConnectionMilliseconds,
  }
  const agents = { 'http:': new HttpAgent(options), 'https:': new HttpsAgent(options) }
  return {
    attempt: async (request, limits) => {
      const agent = request.url.protocol === 'https:' ? agents['https:'] : agents['http:']
      const witness = witnessed(agent)
      const held = request.pauses.reduce((sum, { milliseconds }) => sum + milliseconds, 0)
      const time = timeBound({ ...limits, timeoutMilliseconds: limits.timeoutMilliseconds + held })
      let response: Response | undefined
      try {
        const first = await Promise.race([
          nodeFetch(request.url, fetchOptions(request, witness.agent, time.signal)),
          witness.switched,
          time.over,
        ])
        if (!('body' in first)) return first
        response = first
        return await Promise.race([readReply(response, request.verb, limits.maximumBytes), time.over])
      } catch (error) {
        const isStale =
          response === undefined &&
          witness.request()?.reusedSocket === true &&
          transportTrouble(error, '').kind === 'reset'
        throw isStale ? new StaleConnection('the connection was closed', { cause: error }) : error
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

function fetchOptions(request: AttemptRequest, agent: HttpAgent, signal: AbortSignal): RequestInit {
  const { verb, headers, body } = request
  const isHeldUp = body !== undefined && request.pauses.length > 0
  return {
    method: verb,
    // A body that is sent in pieces still has a known length.
    headers: isHeldUp ? { 'content-length': String(body.length), ...headers } : headers,
    body: isHeldUp
      ? Readable.from(inPieces(body, request.pauses, signal))
      : ((body && bufferOf(body)) ?? null),
    agent,
    signal,
    // Redirects are not followed, since the redirect itself is judged.
    redirect: 'manual',
    // Bodies are decompressed below, strictly and with a size limit.
    compress: false,
  }
}

function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

/** Yields a body in pieces, with pauses between them. */
async function* inPieces(
  body: Uint8Array,
  pauses: AttemptRequest['pauses'],
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  let from = 0
  for (const { at, milliseconds } of pauses) {
    if (at > from) yield bufferOf(body.subarray(from, at))
    from = at
    await wait(milliseconds, undefined, { signal })
  }
  if (from < body.length) yield bufferOf(body.subarray(from))
}

/** Details of a request that node-fetch does not expose. */
interface Witness {
  readonly agent: HttpAgent
  request(): ClientRequest | undefined
  /** Response of a server that switches protocols; it has no body. */
  readonly switched: Promise<Reply>
}

/**
 * Wraps an agent to observe the request, which node-fetch hides. Only the request reveals a reused connection
 * or a protocol switch.
 */
function witnessed(agent: HttpAgent): Witness {
  const inner = agent as HttpAgent & { addRequest(request: ClientRequest, ...rest: unknown[]): void }
  let seen: ClientRequest | undefined
  let tell: (reply: Reply) => void = () => {}
  const switched = new Promise<Reply>((resolve) => {
    tell = resolve
  })
  const onSwitch = ({ statusCode = 0, headersDistinct }: IncomingMessage, socket: Duplex) => {
    socket.destroy()
    const headers = Object.entries(headersDistinct).map(([name, values = []]) => [name, values.join(', ')])
    tell({ status: statusCode, headers: Object.fromEntries(headers), bytes: new Uint8Array(), text: '' })
  }
  const addRequest = (request: ClientRequest, ...rest: unknown[]) => {
    seen = request.once('upgrade', onSwitch).once('connect', onSwitch).once('socket', listenToTheEnd)
    inner.addRequest(request, ...rest)
  }
  return {
    agent: Object.assign(Object.create(agent) as HttpAgent, { addRequest }),
    request: () => seen,
    switched,
  }
}

const ignore = () => {}

/**
 * A server may reject a large body and close the connection while the body is still being sent. The
 * connection error may follow the response, when no listener is left, and would end the process.
 */
function listenToTheEnd(socket: Socket): void {
  if (!socket.listeners('error').includes(ignore)) socket.on('error', ignore)
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

async function readReply(response: Response, verb: string, maximumBytes: number): Promise<Reply> {
  // Raw values keep their case; node-fetch's own accessors partly convert to lower case.
  const raw = Object.entries(response.headers.raw())
  const headers = Object.fromEntries(raw.map(([name, values]) => [name, values.join(', ')]))
  const isEmpty = verb.toUpperCase() === 'HEAD' || response.status === 204 || response.status === 304
  const tooLarge = new AnswerRefused('too-large', `The answer is larger than ${maximumBytes} bytes.`)
  if (!isEmpty && Number(headers['content-length'] ?? 0) > maximumBytes) throw tooLarge
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    const bytes = Buffer.from(chunk)
    size += bytes.length
    if (size > maximumBytes) throw tooLarge
    chunks.push(bytes)
  }
  const announced = headers['content-length']
  if (!isEmpty && announced !== undefined && size !== Number(announced)) {
    // If invalid HTTP follows a response, the connection closes without any other sign of lost bytes.
    throw new AnswerRefused('reset', `Only ${size} of ${announced} bytes of the answer's body arrived.`)
  }
  const bytes = await decoded(Buffer.concat(chunks), headers['content-encoding'] ?? '', maximumBytes)
  return { status: response.status, headers, bytes, text: utf8Text(bytes) }
}

async function decoded(bytes: Uint8Array, coding: string, maximumBytes: number): Promise<Uint8Array> {
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
