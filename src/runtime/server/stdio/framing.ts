import type { Readable } from 'node:stream'

/** How messages on a stream are separated. */
export type Framing = 'newline' | 'content-length'

/** The input has a header that cannot be read, so the next message cannot be found. */
export class FramingError extends Error {
  override readonly name = 'FramingError'
}

/** The next message of a buffer, and where the rest begins. */
interface Frame {
  /** Offset of the message. */
  readonly from: number
  readonly bytes: number
  /** Offset after the message and its separator. */
  readonly next: number
}

interface Frames {
  /**
   * Finds the next message. A message that has not arrived completely may have a `next` beyond the buffer; undefined
   * means that its size is not known yet.
   * @throws FramingError
   */
  find(buffer: Buffer): Frame | undefined
  /** Adds the separator to a message. */
  write(message: Uint8Array): Uint8Array
}

const NEWLINE = 0x0a
const CARRIAGE_RETURN = 0x0d
const HEADER_END = '\r\n\r\n'
/** Maximum size of the headers of a message. */
const HEADER_BYTES = 1_024

/** Both framings. */
export const framings: Readonly<Record<Framing, Frames>> = {
  newline: {
    find(buffer) {
      const end = buffer.indexOf(NEWLINE)
      if (end < 0) return undefined
      return { from: 0, bytes: buffer[end - 1] === CARRIAGE_RETURN ? end - 1 : end, next: end + 1 }
    },
    // In JSON, newlines are only white space between tokens (RFC 8259, section 2).
    write: (message) => Buffer.concat([message.filter((byte) => byte !== NEWLINE), Buffer.of(NEWLINE)]),
  },
  'content-length': {
    find(buffer) {
      const end = buffer.indexOf(HEADER_END)
      if (end < 0) {
        if (buffer.length <= HEADER_BYTES) return undefined
        throw new FramingError(`The headers of a message exceed ${HEADER_BYTES} bytes`)
      }
      const headers = buffer.toString('latin1', 0, end)
      const bytes = Number(/^content-length:[ \t]*(\d{1,15})[ \t]*$/im.exec(headers)?.[1] ?? Number.NaN)
      if (Number.isNaN(bytes)) throw new FramingError('A message has no valid header Content-Length')
      const from = end + HEADER_END.length
      return { from, bytes, next: from + bytes }
    },
    write: (message) =>
      Buffer.concat([Buffer.from(`Content-Length: ${message.length}${HEADER_END}`), message]),
  },
}

/**
 * Reads the messages of a stream. A message over the limit is skipped without keeping it in memory. Empty lines are
 * skipped, too.
 *
 * @param maxBytes the largest size of a message, in bytes
 * @throws FramingError, and the error of the stream
 */
export async function* readFrames(
  input: Readable,
  framing: Framing,
  maxBytes: number,
): AsyncGenerator<Uint8Array | 'tooLarge'> {
  const { find } = framings[framing]
  let buffer: Buffer = Buffer.alloc(0)
  /** Bytes of a too large message to skip; Infinity until its newline. */
  let skip = 0
  for await (const chunk of input) {
    buffer = Buffer.concat([buffer, Buffer.from(chunk)])
    for (;;) {
      if (skip === Number.POSITIVE_INFINITY) {
        const end = buffer.indexOf(NEWLINE)
        if (end >= 0) skip = end + 1
      }
      const skipped = Math.min(skip, buffer.length)
      buffer = buffer.subarray(skipped)
      skip -= skipped
      if (skip > 0 || buffer.length === 0) break
      const frame = find(buffer)
      const size = frame?.bytes ?? (framing === 'newline' ? buffer.length : 0)
      if (size > maxBytes) {
        yield 'tooLarge'
        skip = frame?.next ?? Number.POSITIVE_INFINITY
        continue
      }
      if (frame === undefined || frame.next > buffer.length) break
      if (frame.bytes > 0 || framing === 'content-length')
        yield buffer.subarray(frame.from, frame.from + frame.bytes)
      skip = frame.next
    }
  }
  if (buffer.length > 0 && skip === 0 && framing === 'newline') yield buffer
}
