const quote = 0x22
const comma = 0x2c
const colon = 0x3a
const openBracket = 0x5b
const backslash = 0x5c
const closeBracket = 0x5d
const openBrace = 0x7b
const closeBrace = 0x7d

const isSpace = (byte: number) => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09

/** The answer's member that holds the logs. */
const listName = 'result'

/**
 * Takes the logs out of a node's answer to eth_getLogs, piece by piece as it comes, so that it is never held as a whole.
 * What is left is an answer whose result is an empty list: its members tell whether it is one to this call. Logs are cut
 * at their braces; whether there is a log between them is for the one who reads them.
 */
export class LogScanner {
  /** Where the next byte belongs: to the answer around the list, between logs, or into one. */
  #place: 'answer' | 'list' | 'log' = 'answer'
  #isInString = false
  /** True behind a backslash that ends a piece. */
  #isEscaped = false
  /** Objects and lists that are open around the list of logs. */
  #depth = 0
  /** The same within a log. */
  #logDepth = 0
  /** True where the answer's next string is a member's name. */
  #expectsName = false
  #isName = false
  #name = ''
  /** What may come next between logs: the first log or the end, a log, or what stands behind one. */
  #expected: 'first' | 'log' | 'next' = 'first'
  #hasList = false
  #isRubbish = false
  /** The pieces of the log that is not complete yet. */
  #pieces: Buffer[] = []

  /** True once the bytes cannot be an answer with one list of objects. */
  get isRubbish(): boolean {
    return this.#isRubbish
  }

  /**
   * Reads the next bytes.
   * @param logs is given the bytes of each log that ends in them
   * @returns what does not belong to the list
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

  /** Reads up to the list of logs; returns the place behind its bracket, or the chunk's end. */
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

  /** Takes the quote off a name; one that is written with escapes could be any. */
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

  /** Reads between logs; returns the place of the next one, of the list's end, or the chunk's end. */
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

  /** Reads within a log; returns the place behind it, or the chunk's end. */
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

  /** Reads within a string; returns the place behind its quote, or the chunk's end. */
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

/** Backslashes that stand directly before a place, no farther back than where the string is read from. */
function backslashesBefore(chunk: Buffer, from: number, end: number): number {
  let at = end
  while (at > from && chunk[at - 1] === backslash) at--
  return end - at
}
