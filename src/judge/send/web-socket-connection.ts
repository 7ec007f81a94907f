import type { IncomingMessage } from 'node:http'
import { type RawData, WebSocket } from 'ws'
import type { Session } from '../../toolkit/contract/index.js'
import type { AttemptRequest } from './connections.js'
import { utf8Text } from './decode-body.js'
import type { Reply } from './exchange.js'
import { MessageConnection } from './message-connection.js'
import { AnswerRefused } from './transport-trouble.js'

/** Headers that describe a POST body. An upgrade request has none. */
const unsent = new Set(['content-type', 'accept-encoding', 'content-length'])

const TOO_BIG = 1009

/** A WebSocket. */
export class WebSocketConnection extends MessageConnection {
  readonly #socket: WebSocket
  #refusal: IncomingMessage | undefined

  /**
   * Opens a connection.
   * @param maximumBytes maximum size of a message
   * @param onEnd called when the connection is closed
   */
  constructor(
    { url, headers }: AttemptRequest,
    session: Session,
    maximumBytes: number,
    onEnd: (connection: MessageConnection) => void,
  ) {
    super(url.host, session)
    const sent = Object.entries(headers).filter(([name]) => !unsent.has(name))
    const options = { headers: Object.fromEntries(sent), maxPayload: maximumBytes, perMessageDeflate: false }
    this.#socket = new WebSocket(url, options)
    this.#socket.on('open', () => this.changed())
    this.#socket.on('message', (data) => this.take(bytesOf(data)))
    this.#socket.on('error', (error) => this.fail(error))
    this.#socket.on('unexpected-response', (_, response) => {
      this.#refusal = response
      this.changed()
    })
    this.#socket.on('close', (code) => {
      const why = code === TOO_BIG ? 'the message is too big' : `code ${code}`
      const message = `${this.name} closed the connection before it answered: ${why}.`
      this.fail(new AnswerRefused('reset', message))
      onEnd(this)
    })
  }

  override get isOpen(): boolean {
    return this.#socket.readyState === WebSocket.OPEN
  }

  protected override isRefused(): boolean {
    return this.#refusal !== undefined
  }

  protected override async refusal(maximumBytes: number): Promise<Reply | undefined> {
    return this.#refusal && refusalOf(this.#refusal, maximumBytes)
  }

  override send(message: string | Uint8Array): void {
    this.#socket.send(message)
  }

  override end(): void {
    this.#socket.terminate()
  }
}

/** The HTTP response to a refused upgrade request. */
async function refusalOf(response: IncomingMessage, maximumBytes: number): Promise<Reply> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response as AsyncIterable<Uint8Array>) {
    size += chunk.length
    if (size > maximumBytes)
      throw new AnswerRefused('too-large', `The answer is larger than ${maximumBytes} bytes.`)
    chunks.push(chunk)
  }
  const headers = Object.entries(response.headers).map(([name, value]) => [name, String(value)])
  const bytes = Buffer.concat(chunks)
  return {
    status: response.statusCode ?? 0,
    headers: Object.fromEntries(headers),
    bytes,
    text: utf8Text(bytes),
  }
}

function bytesOf(data: RawData): Uint8Array {
  if (Array.isArray(data)) return Buffer.concat(data)
  return data instanceof ArrayBuffer ? new Uint8Array(data) : data
}
