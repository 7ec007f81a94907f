import { isObject, isQuantity } from '../../ethereum/index.js'
import type { LogText } from '../node-call.js'
import type { OnDropped } from './dropped-members.js'
import { normalise } from './normalise-result.js'
import { parseNodeJson } from './read-answer.js'
import { componentShape, type Shape } from './result-shape.js'

const quote = 0x22
const comma = 0x2c
const colon = 0x3a
const openBracket = 0x5b
const closeBracket = 0x5d
const openBrace = 0x7b
const closeBrace = 0x7d
const zero = 0x30
const nine = 0x39
const letterA = 0x61
const letterF = 0x66
const letterX = 0x78

const isSpace = (byte: number | undefined) => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09

/** A member of a log, on at least one kind of node. */
interface Member {
  readonly name: Buffer
  readonly kind: 'block' | 'index' | 'quantity' | 'hex' | 'topics' | 'flag'
  /** Bit of the member in the set of members already read. */
  readonly bit: number
}

const logShape = componentShape('Log')

/** Returns the kind of a member of the contract's log. */
function kindOf(name: string, { items, form, types }: Shape): Member['kind'] {
  if (name === 'blockNumber') return 'block'
  if (name === 'logIndex') return 'index'
  if (items !== undefined) return 'topics'
  if (types.has('boolean')) return 'flag'
  return form === 'quantity' ? 'quantity' : 'hex'
}

const listed = logShape.object?.members ?? new Map<string, Shape>()

/** The contract's members of a log. */
const members: readonly Member[] = [...listed].map(([name, shape], place) => ({
  name: Buffer.from(name),
  kind: kindOf(name, shape),
  bit: 1 << place,
}))

/** The members that a node may leave out, with their constant values, and the brace after them. */
const constants = logShape.object?.constants ?? []
const constantBits = constants.map(({ name }) => 1 << [...listed.keys()].indexOf(name))
const constantTexts = constants.map(
  ({ name, constant }) => `,${JSON.stringify(name)}:${JSON.stringify(constant)}`,
)

/** The members by the length of their names. */
const membersOfLength: readonly (readonly Member[])[] = Array.from({ length: 17 }, (_, length) =>
  members.filter(({ name }) => name.length === length),
)

const flags = ['true', 'false'].map((text) => Buffer.from(text))

/** Maximum number of digits in a fast-path quantity. Larger values could exceed the safe integers. */
const mostDigits = 13

/**
 * Normalises a node's log to the contract's form (specification 2.7). A log that already has this form keeps
 * its bytes, and omitted members are appended. Only logs in other forms are parsed.
 * @param bytes a JSON object, delimited by its braces
 * @param onDropped receives the members that are removed
 * @returns undefined when the bytes are not a log of a block
 */
export function readLog(bytes: Buffer, onDropped?: OnDropped): LogText | undefined {
  return reader.read(bytes) ?? parsedLog(bytes, onDropped)
}

/** Parses a log of any JSON form. */
function parsedLog(bytes: Buffer, onDropped?: OnDropped): LogText | undefined {
  const value = parseNodeJson(bytes.toString('utf8'))
  const made = value === undefined ? undefined : normalise(logShape, value, false, onDropped)
  if (!isObject(made)) return undefined
  const { blockNumber, logIndex } = made
  if (!isQuantity(blockNumber) || !isQuantity(logIndex)) return undefined
  const block = Number(blockNumber)
  const index = Number(logIndex)
  if (!Number.isSafeInteger(block) || !Number.isSafeInteger(index)) return undefined
  return { text: Buffer.from(JSON.stringify(made)), block, index }
}

/** Reads the bytes of a log from left to right while they have the contract's form. */
class LogReader {
  #bytes: Buffer = Buffer.alloc(0)
  #at = 0
  #end = 0
  #seen = 0
  #value = 0
  #block = -1
  #index = -1

  /** Returns the log, or undefined if it does not have the contract's form. */
  read(bytes: Buffer): LogText | undefined {
    this.#bytes = bytes
    this.#end = bytes.length
    this.#at = 0
    this.#seen = 0
    this.#block = -1
    this.#index = -1
    const isRead =
      this.#take(openBrace) && this.#members() && this.#take(closeBrace) && this.#at === this.#end
    if (!isRead || this.#block < 0 || this.#index < 0) return undefined
    return { text: this.#text(), block: this.#block, index: this.#index }
  }

  /** The bytes of the log, with the members that the node omitted. */
  #text(): Buffer {
    let omitted = ''
    for (let at = 0; at < constantBits.length; at++)
      if ((this.#seen & (constantBits[at] ?? 0)) === 0) omitted += constantTexts[at]
    if (omitted === '') return this.#bytes
    const end = this.#end - 1
    const text = Buffer.allocUnsafe(end + omitted.length + 1)
    this.#bytes.copy(text, 0, 0, end)
    text.write(`${omitted}}`, end, 'latin1')
    return text
  }

  #members(): boolean {
    for (;;) {
      this.#spaces()
      const member = this.#name()
      if (member === undefined || !this.#take(colon)) return false
      this.#spaces()
      // The parser handles duplicate members.
      if ((this.#seen & member.bit) !== 0 || !this.#valueOf(member)) return false
      this.#seen |= member.bit
      this.#spaces()
      if (this.#bytes[this.#at] !== comma) return true
      this.#at++
    }
  }

  /** Reads the next name and returns its member; undefined for an unknown member. */
  #name(): Member | undefined {
    const bytes = this.#bytes
    if (bytes[this.#at] !== quote) return undefined
    const start = this.#at + 1
    const end = bytes.indexOf(quote, start)
    for (const member of membersOfLength[end - start] ?? []) {
      if (bytes.compare(member.name, 0, member.name.length, start, end) !== 0) continue
      this.#at = end + 1
      return member
    }
    return undefined
  }

  #valueOf({ kind }: Member): boolean {
    if (kind === 'topics') return this.#topics()
    if (kind === 'hex') return this.#hex()
    if (kind === 'flag') return this.#flag()
    if (!this.#quantity()) return false
    if (kind === 'block') this.#block = this.#value
    else if (kind === 'index') this.#index = this.#value
    return true
  }

  /** Reads `true` or `false`. */
  #flag(): boolean {
    const at = this.#at
    const flag = flags.find((text) => this.#bytes.compare(text, 0, text.length, at, at + text.length) === 0)
    if (flag === undefined) return false
    this.#at += flag.length
    return true
  }

  #topics(): boolean {
    if (!this.#take(openBracket)) return false
    if (this.#take(closeBracket)) return true
    do {
      this.#spaces()
      if (!this.#hex()) return false
    } while (this.#take(comma))
    return this.#take(closeBracket)
  }

  /** Reads `0x` and lower-case digits, in quotes. */
  #hex(): boolean {
    const bytes = this.#bytes
    let at = this.#at
    if (bytes[at] !== quote || bytes[at + 1] !== zero || bytes[at + 2] !== letterX) return false
    at += 3
    let byte = bytes[at] as number
    while ((byte >= zero && byte <= nine) || (byte >= letterA && byte <= letterF))
      byte = bytes[++at] as number
    this.#at = at + 1
    return byte === quote
  }

  /** Reads a quantity without leading zeros, in quotes. */
  #quantity(): boolean {
    const first = this.#at + 3
    if (!this.#hex()) return false
    const end = this.#at - 1
    const isMinimal = end - first === 1 || (end > first && this.#bytes[first] !== zero)
    if (!isMinimal || end - first > mostDigits) return false
    let value = 0
    for (let at = first; at < end; at++) {
      const digit = this.#bytes[at] as number
      value = value * 16 + (digit <= nine ? digit - zero : digit - letterA + 10)
    }
    this.#value = value
    return true
  }

  #take(byte: number): boolean {
    this.#spaces()
    if (this.#at >= this.#end || this.#bytes[this.#at] !== byte) return false
    this.#at++
    return true
  }

  #spaces(): void {
    while (this.#at < this.#end && isSpace(this.#bytes[this.#at])) this.#at++
  }
}

/** Reading a log is synchronous, so one reader is enough. */
const reader = new LogReader()
