import type { Readable, Writable } from 'node:stream'
import { createConnection } from '../connection/create-connection.js'
import type { RpcService } from '../service/create-service.js'
import { type Framing, framings, readFrames } from './framing.js'

export { FramingError } from './framing.js'

/** Options of {@link serveStdio}. */
export interface StdioOptions<Context> {
  readonly service: RpcService<Context>
  readonly context: Context
  /**
   * How messages are separated: by newlines, or by the header `Content-Length` as in the Language Server Protocol.
   */
  readonly framing: Framing
  /** Default: standard input. */
  readonly input?: Readable
  /** Default: standard output. The program must write nothing else to it. */
  readonly output?: Writable
  /** Messages that are handled at once; further ones are not read meanwhile. Default: 32. */
  readonly messagesAtOnce?: number
}

/**
 * Serves a service on a pair of streams, such as standard input and output. A message over the limit `bodyBytes` is
 * skipped and answered with `bodyTooLarge`.
 *
 * @returns a promise that resolves at the end of the input, after all messages are answered
 * @throws FramingError if the input has a header that cannot be read; the error of a stream
 */
export async function serveStdio<Context>(options: StdioOptions<Context>): Promise<void> {
  const {
    service,
    context,
    framing,
    messagesAtOnce,
    input = process.stdin,
    output = process.stdout,
  } = options
  const { write } = framings[framing]
  const send = (message: string | Uint8Array) => writeTo(output, write(Buffer.from(message)))
  let onRoom = (): void => undefined
  const connection = createConnection({ service, context, send, messagesAtOnce, onRoom: () => onRoom() })
  const close = () => connection.close()
  output.once('close', close)
  // Writes reject with the error, and the close event follows.
  output.on('error', close)
  const running = new Set<Promise<unknown>>()
  try {
    for await (const frame of readFrames(input, framing, service.limits.bodyBytes)) {
      const answered = frame === 'tooLarge' ? refuse(service, context, send) : connection.receive(frame)
      const ended = answered.finally(() => running.delete(ended))
      running.add(ended)
      while (!connection.hasRoom)
        await new Promise<void>((resolve) => {
          onRoom = resolve
        })
    }
    await Promise.all(running)
  } finally {
    connection.close()
    output.off('close', close)
    output.off('error', close)
  }
}

async function refuse<Context>(
  service: RpcService<Context>,
  context: Context,
  send: (message: string) => Promise<void>,
): Promise<void> {
  const { body } = await service.refuse('bodyTooLarge', service.begin(context))
  await send(String(body)).catch(() => undefined)
}

function writeTo(output: Writable, message: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    output.write(message, (error) => (error ? reject(error) : resolve()))
  })
}
