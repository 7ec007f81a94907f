const quote = 0x22
const comma = 0x2c
const colon = 0x3a
const openBracket = 0x5b
const backslash = 0x5c
const closeBracket = 0x5d
const openBrace = 0x7b
const closeBrace = 0x7d

const isSpace = (byte: number) => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09

/** The member of the answer that contains the logs. */
const listName = 'result'

/**
 * Extracts the logs from a streamed answer to eth_getLogs, so that the whole answer is never in memory. The
 * remaining text is an answer with an empty list as its result; its other members show whether it belongs to
 * this call. Logs are split at their braces; the caller validates the content.
 */
export class LogScanner {
  /** Context of the next byte: the answer around the list, the space between logs, or a log. */
  #place: 'answer' | 'list' | 'log' = 'answer'
  #isInString = false
  /** True when the last chunk ended with an unescaped backslash. */
  #isEscaped = false
  /** Nesting depth outside the list of logs. */
  #depth = 0
  /** Nesting depth within a log. */
  #logDepth = 0
  /** True when the next string of the answer is a member name. */
  #expectsName = false
  #isName = false
  #name = ''
  /** What may follow in the list: the first log or the end, another log, or a comma or the end. */
  #expected: 'first' | 'log' | 'next' = 'first'
  #hasList = false
  #isRubbish = false
  /** The chunks of the incomplete log. */
  #pieces: Buffer[] = []

  /** True once the bytes cannot be an answer with exactly one list of objects. */
  get isRubbish(): boolean {
    return this.#isRubbish
  }

  /**
   * Reads the next chunk.
   * @param logs receives the bytes of each log that ends in the chunk
   * @returns the bytes outside the list
   */
  read(chunk: Buffer, logs: Buffer[]): Buffer {
    const left: Buffer[] = []
    let at = 0
    while (at < chunk.length && !this.#isRubbish) {
      const from = at
      if (this.#place === 'list') at = this.#readList(chunk, from)
      else if (this.#place === 'answer') {
        at = this.#readAnswer(chunk, from)
        left.push(chunk.subarray(from, at))
      } else {
        at = this.#readLog(chunk, from)
        this.#pieces.push(chunk.subarray(from, at))
        if (this.#logDepth === 0) logs.push(this.#endLog())
      }
    }
    return left.length === 1 && left[0] !== undefined ? left[0] : Buffer.concat(left)
  }

  /** Reads up to the list of logs; returns the index after its bracket, or the end of the chunk. */
  #readAnswer(chunk: Buffer, start: number): number {
    let at = start
    while (at < chunk.length) {
      if (this.#isInString) {
        const from = at
        at = this.#readString(chunk, at)
        if (this.#isName) this.#name += chunk.toString('latin1', from, at)
        if (!this.#isInString) this.#endName()
        continue
      }
      const byte = chunk[at++] as number
      if (byte === openBracket && this.#beginsList()) return at
      this.#noteStructure(byte)
    }
    return at
  }

  #noteStructure(byte: number): void {
    switch (byte) {
      case quote:
        this.#isInString = true
        this.#isName = this.#expectsName && this.#depth === 1
        if (this.#isName) this.#name = ''
        break
      case openBrace:
        this.#depth++
        if (this.#depth === 1) this.#expectsName = true
        break
      case openBracket:
        this.#depth++
        break
      case closeBrace:
      case closeBracket:
        this.#depth--
        break
      case colon:
        if (this.#depth === 1) this.#expectsName = false
        break
      case comma:
        if (this.#depth === 1) this.#expectsName = true
        break
    }
  }

  /** Removes the closing quote from a name. A name with escapes is rejected, because it could be any name. */
  #endName(): void {
    if (!this.#isName) return
    this.#isName = false
    this.#name = this.#name.slice(0, -1)
    if (this.#name.includes('\\')) this.#isRubbish = true
  }

  #beginsList(): boolean {
    if (this.#depth !== 1 || this.#expectsName || this.#name !== listName) return false
    if (this.#hasList) this.#isRubbish = true
    this.#hasList = true
    this.#depth++
    this.#place = 'list'
    return true
  }

  /** Reads between logs; returns the index of the next log, of the list's end, or the end of the chunk. */
  #readList(chunk: Buffer, start: number): number {
    for (let at = start; at < chunk.length; at++) {
      const byte = chunk[at] as number
      if (isSpace(byte)) continue
      if (byte === openBrace && this.#expected !== 'next') {
        this.#place = 'log'
        return at
      }
      if (byte === closeBracket && this.#expected !== 'log') {
        this.#place = 'answer'
        return at
      }
      if (byte !== comma || this.#expected !== 'next') {
        this.#isRubbish = true
        return at
      }
      this.#expected = 'log'
    }
    return chunk.length
  }

  /** Reads within a log; returns the index after it, or the end of the chunk. */
  #readLog(chunk: Buffer, start: number): number {
    let at = start
    while (at < chunk.length) {
      if (this.#isInString) {
        at = this.#readString(chunk, at)
        continue
      }
      const byte = chunk[at++]
      if (byte === quote) this.#isInString = true
      else if (byte === openBrace || byte === openBracket) this.#logDepth++
      else if (byte === closeBrace || byte === closeBracket) {
        this.#logDepth--
        if (this.#logDepth === 0) return at
      }
    }
    return at
  }

  #endLog(): Buffer {
    this.#place = 'list'
    this.#expected = 'next'
    const [first] = this.#pieces
    const log = this.#pieces.length === 1 && first !== undefined ? first : Buffer.concat(this.#pieces)
    this.#pieces = []
    return log
  }

  /** Reads within a string; returns the index after its quote, or the end of the chunk. */
  #readString(chunk: Buffer, start: number): number {
    let at = start
    if (this.#isEscaped) {
      this.#isEscaped = false
      at++
    }
    for (;;) {
      const end = chunk.indexOf(quote, at)
      const upTo = end < 0 ? chunk.length : end
      const isEscaping = isOdd(backslashesBefore(chunk, at, upTo))
      if (end < 0) {
        this.#isEscaped = isEscaping
        return chunk.length
      }
      if (!isEscaping) {
        this.#isInString = false
        return end + 1
      }
      at = end + 1
    }
  }
}

const isOdd = (count: number) => count % 2 === 1

/** Counts the backslashes directly before an index, and not before `from`. */
function backslashesBefore(chunk: Buffer, from: number, end: number): number {
  let at = end
  while (at > from && chunk[at - 1] === backslash) at--
  return end - at
}
