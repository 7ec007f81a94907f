import type { Readable, Writable } from 'node:stream'
import { Connection, messagesAtOnceOf } from '../connection/connection.js'
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
 * @throws FramingError if the input has a header that cannot be read; the error of a stream; RangeError if
 * `messagesAtOnce` is no positive integer
 */
export async function serveStdio<Context>(options: StdioOptions<Context>): Promise<void> {
  const { service, context, framing, input = process.stdin, output = process.stdout } = options
  const { write } = framings[framing]
  let onRoom = (): void => undefined
  const transport = {
    send(message: string | Uint8Array, done: (error?: Error | null) => void) {
      output.write(write(Buffer.from(message)), done)
    },
    onRoom: () => onRoom(),
  }
  const connection = new Connection(
    { service, context, messagesAtOnce: messagesAtOnceOf(options) },
    transport,
  )
  const close = () => connection.close()
  output.once('close', close)
  // Writes reject with the error, and the close event follows.
  output.on('error', close)
  try {
    for await (const frame of readFrames(input, framing, service.limits.bodyBytes)) {
      if (frame === 'tooLarge') connection.refuse('bodyTooLarge')
      else connection.receive(frame)
      while (!connection.hasRoom)
        await new Promise<void>((resolve) => {
          onRoom = resolve
        })
    }
    await connection.answered()
  } finally {
    connection.close()
    output.off('close', close)
    output.off('error', close)
  }
}
