import type { Framing } from '../../toolkit/contract/index.js'

/** The output of a program is not a sequence of messages. The message says what it is instead. */
export class NotMessages extends Error {
  override readonly name = 'NotMessages'
}

/** A message is larger than the limit. */
export class MessageTooLarge extends Error {
  override readonly name = 'MessageTooLarge'
}

const NEWLINE = 0x0a
const HEADERS_END = '\r\n\r\n'

/** Maximum size of the headers of a message, in bytes. */
const LONGEST_HEADERS = 8 * 1024

/** Characters of unreadable output that are shown. */
const SHOWN = 120

/** Finds the messages in the output of a program, however it is split into chunks. */
export class MessageReader {
  readonly #framing: Framing
  readonly #maximumBytes: number
  #chunks: Buffer[] = []
  #size = 0
  /** Size of the message whose headers were read; undefined before. */
  #expected: number | undefined

  /** @param maximumBytes maximum size of a message */
  constructor(framing: Framing, maximumBytes: number) {
    this.#framing = framing
    this.#maximumBytes = maximumBytes
  }

  /** The beginning of what was read since the last message. */
  get pending(): string {
    return shown(Buffer.concat(this.#chunks))
  }

  /**
   * Reads a chunk and returns the messages that are complete now. Empty lines are skipped.
   * @throws NotMessages for a line that is no JSON object or list, and for headers without a size
   * @throws MessageTooLarge
   */
  *read(chunk: Buffer): Generator<Buffer> {
    let rest = chunk
    while (rest.length > 0) {
      const taken = this.#framing === 'newline' ? this.#line(rest) : this.#sized(rest)
      rest = taken.rest
      if (taken.message !== undefined) yield taken.message
    }
  }

  #line(bytes: Buffer): Taken {
    const end = bytes.indexOf(NEWLINE)
    if (end < 0) return this.#keep(bytes)
    this.#keep(bytes.subarray(0, end))
    const line = this.#take()
    const rest = bytes.subarray(end + 1)
    const first = firstCharacter(line)
    if (first === '') return { message: undefined, rest }
    if (first === '{' || first === '[') return { message: line, rest }
    throw new NotMessages(`a line that is not a JSON-RPC message: ${shown(line)}`)
  }

  #sized(bytes: Buffer): Taken {
    const expected = this.#expected
    if (expected === undefined) return this.#headers(bytes)
    const missing = expected - this.#size
    this.#keep(bytes.subarray(0, missing))
    const rest = bytes.subarray(missing)
    if (this.#size < expected) return { message: undefined, rest }
    this.#expected = undefined
    return { message: this.#take(), rest }
  }

  #headers(bytes: Buffer): Taken {
    // A header may be split between chunks.
    const all = Buffer.concat([...this.#chunks, bytes])
    this.#take()
    const end = all.indexOf(HEADERS_END)
    const isHeader = /^[\w-]/.test(all.toString('latin1', 0, 1))
    if (end < 0 && isHeader && all.length <= LONGEST_HEADERS) return this.#keep(all)
    const lines = all.toString('latin1', 0, Math.max(end, 0)).split('\r\n')
    const sizes = lines.map((line) => /^content-length:[ \t]*(\d{1,15})[ \t]*$/i.exec(line)?.[1])
    const size = sizes.find((found) => found !== undefined)
    if (size === undefined || !lines.every((line) => /^[\w-]+:/.test(line))) {
      throw new NotMessages(`text before the header Content-Length of a message: ${shown(all)}`)
    }
    this.#expected = Number(size)
    if (this.#expected > this.#maximumBytes) throw this.#tooLarge()
    const rest = all.subarray(end + HEADERS_END.length)
    if (this.#expected > 0) return { message: undefined, rest }
    this.#expected = undefined
    return { message: Buffer.alloc(0), rest }
  }

  #keep(bytes: Buffer): Taken {
    this.#size += bytes.length
    if (this.#size > this.#maximumBytes) throw this.#tooLarge()
    if (bytes.length > 0) this.#chunks.push(bytes)
    return { message: undefined, rest: bytes.subarray(bytes.length) }
  }

  /** Returns what was kept. */
  #take(): Buffer {
    const all = Buffer.concat(this.#chunks)
    this.#chunks = []
    this.#size = 0
    return all
  }

  #tooLarge(): MessageTooLarge {
    return new MessageTooLarge(`The answer is larger than ${this.#maximumBytes} bytes.`)
  }
}

interface Taken {
  readonly message: Buffer | undefined
  readonly rest: Buffer
}

/** Returns the first character other than white space; an empty text if there is none. */
function firstCharacter(line: Buffer): string {
  const at = line.findIndex((byte) => byte !== 0x20 && byte !== 0x09 && byte !== 0x0d)
  return at < 0 ? '' : String.fromCharCode(line[at] ?? 0)
}

function shown(bytes: Buffer): string {
  const text = bytes.toString('utf8')
  return JSON.stringify(text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text)
}

/** Adds what separates a message from the next one. */
export function framed(message: Uint8Array, framing: Framing): Buffer {
  if (framing === 'content-length') {
    return Buffer.concat([Buffer.from(`Content-Length: ${message.length}${HEADERS_END}`), message])
  }
  // In JSON, newlines are only white space between tokens (RFC 8259, section 2).
  const line = message.map((byte) => (byte === NEWLINE ? 0x20 : byte))
  return Buffer.concat([line, Buffer.of(NEWLINE)])
}
