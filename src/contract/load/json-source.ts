/** A value in a JSON text: its position and the values inside it. */
export interface JsonNode {
  /** Offset of its first character. */
  readonly start: number
  /** Offset after its last character. */
  readonly end: number
  /** The entries of an object (with their names) or list, in the order of the text. */
  readonly entries?: readonly JsonSpan[]
  readonly members?: ReadonlyMap<string, JsonNode>
  readonly items?: readonly JsonNode[]
}

/** A range of a text, without its end. */
export interface JsonSpan {
  readonly start: number
  readonly end: number
}

/** A syntax error in a JSON text. */
export interface JsonFault {
  /** Offset of the character where the error was found. */
  readonly offset: number
  readonly message: string
}

/** The positions of the values in a JSON text (RFC 8259). */
export interface JsonSource {
  /** Undefined if the text is not valid JSON. */
  readonly root: JsonNode | undefined
  /** The syntax error, if the text is not valid JSON. */
  readonly fault: JsonFault | undefined
  /** Members that repeat a name within an object. JSON.parse silently drops the earlier one. */
  readonly repeated: readonly {
    readonly offset: number
    readonly name: string
    /** True if the repeated values are the same text. */
    readonly isEqual: boolean
  }[]
  /** Numbers as written in the text. */
  readonly numbers: readonly { readonly offset: number; readonly text: string }[]
}

/** Maximum nesting of objects and lists. */
export const mostNested = 500

const space = /[ \t\n\r]*/y
const escaped = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y
const [quote, backslash, firstPrintable] = [0x22, 0x5c, 0x20] as const
const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const word = /true|false|null/y

/** Reads the positions of the values in a JSON text. Stops at the first syntax error and never throws. */
export function readJsonSource(text: string): JsonSource {
  const scanner = new Scanner(text)
  const { repeated, numbers } = scanner
  try {
    return { root: scanner.document(), fault: undefined, repeated, numbers }
  } catch (cause) {
    if (!(cause instanceof Fault)) throw cause
    return { root: undefined, fault: cause, repeated, numbers }
  }
}

class Fault extends Error implements JsonFault {
  readonly offset: number

  constructor(offset: number, message: string) {
    super(message)
    this.offset = offset
  }
}

class Scanner {
  readonly #text: string
  #at = 0
  #depth = 0
  readonly repeated: { offset: number; name: string; isEqual: boolean }[] = []
  readonly numbers: { offset: number; text: string }[] = []

  constructor(text: string) {
    this.#text = text
  }

  document(): JsonNode {
    const root = this.#value()
    this.#take(space)
    if (this.#at < this.#text.length) this.#refuse('unexpected text after the end of the document')
    return root
  }

  #value(): JsonNode {
    this.#take(space)
    const start = this.#at
    const first = this.#text[start]
    if (first === '{' || first === '[') {
      this.#depth += 1
      if (this.#depth > mostNested)
        this.#refuse(`objects and lists are nested more than ${mostNested} levels deep`)
      const inner = first === '{' ? this.#members() : this.#items()
      this.#depth -= 1
      return { start, end: this.#at, ...inner }
    }
    if (this.#string() ?? this.#take(word)) return { start, end: this.#at }
    const text = this.#take(number)
    if (text === undefined)
      this.#refuse(first === '"' ? this.#badString() : `expected a value, found ${this.#here()}`)
    else this.numbers.push({ offset: start, text })
    return { start, end: this.#at }
  }

  #members(): Pick<JsonNode, 'members' | 'entries'> {
    const members = new Map<string, JsonNode>()
    const entries = this.#separated('}', () => {
      const offset = this.#at
      const key = this.#string()
      if (key === undefined) {
        return this.#refuse(
          this.#text[offset] === '"'
            ? this.#badString()
            : `expected a member name in double quotes, found ${this.#here()}`,
        )
      }
      const name = JSON.parse(key) as string
      this.#take(space)
      if (this.#text[this.#at] !== ':') this.#refuse(`expected ":", found ${this.#here()}`)
      this.#at += 1
      const value = this.#value()
      const earlier = members.get(name)
      if (earlier)
        this.repeated.push({ offset, name, isEqual: this.#textOf(earlier) === this.#textOf(value) })
      members.set(name, value)
    })
    return { members, entries }
  }

  #items(): Pick<JsonNode, 'items' | 'entries'> {
    const items: JsonNode[] = []
    const entries = this.#separated(']', () => void items.push(this.#value()))
    return { items, entries }
  }

  /** Reads comma-separated entries between an opening character and `end`. */
  #separated(end: string, read: () => void): readonly JsonSpan[] {
    const entries: JsonSpan[] = []
    this.#at += 1
    this.#take(space)
    for (let isFirst = true; this.#text[this.#at] !== end; isFirst = false) {
      if (!isFirst) {
        if (this.#text[this.#at] !== ',') this.#refuse(`expected "," or "${end}", found ${this.#here()}`)
        const comma = this.#at
        this.#at += 1
        this.#take(space)
        if (this.#text[this.#at] === end) {
          this.#at = comma
          this.#refuse(`trailing comma before "${end}"`)
        }
      }
      const start = this.#at
      read()
      entries.push({ start, end: this.#at })
      this.#take(space)
    }
    this.#at += 1
    return entries
  }

  /** Reads a string with its quotes. Returns undefined and reads nothing if there is none. */
  #string(): string | undefined {
    const start = this.#at
    if (this.#text[start] !== '"') return undefined
    for (let at = start + 1; ; ) {
      const code = this.#text.charCodeAt(at)
      if (code === quote) {
        this.#at = at + 1
        return this.#text.slice(start, at + 1)
      }
      escaped.lastIndex = at
      const width =
        code === backslash ? (escaped.exec(this.#text)?.[0].length ?? 0) : Number(code >= firstPrintable)
      if (width === 0) return undefined
      at += width
    }
  }

  #textOf({ start, end }: JsonSpan): string {
    return this.#text.slice(start, end)
  }

  #take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at
    const [found] = pattern.exec(this.#text) ?? []
    if (found !== undefined) this.#at += found.length
    return found
  }

  #refuse(message: string): never {
    throw new Fault(this.#at, message)
  }

  #here(): string {
    const rest = this.#text.slice(this.#at, this.#at + 2)
    if (rest === '') return 'the end of the text'
    if (rest === '//' || rest === '/*') return 'a comment'
    return JSON.stringify(String.fromCodePoint(rest.codePointAt(0) ?? 0))
  }

  #badString(): string {
    return 'unterminated string, or an invalid escape or control character in it'
  }
}
