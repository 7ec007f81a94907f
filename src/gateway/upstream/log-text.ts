import type { JsonValue } from '../../rpc/index.js'
import { isObject, isQuantity } from '../hex.js'
import type { LogText } from '../node-call.js'
import { log as normaliseLog } from './normalise-object.js'

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

const isDigit = (byte: number | undefined) =>
  byte !== undefined && ((byte >= zero && byte <= nine) || (byte >= letterA && byte <= letterF))

/** What a member of a log holds, by its name; its place in {@link LogReader}'s list of what it has seen. */
const memberKinds: Readonly<Record<string, 'quantity' | 'hex' | 'topics'>> = {
  address: 'hex',
  blockHash: 'hex',
  blockNumber: 'quantity',
  data: 'hex',
  logIndex: 'quantity',
  topics: 'topics',
  transactionHash: 'hex',
  transactionIndex: 'quantity',
}

const memberBits: ReadonlyMap<string, number> = new Map(
  Object.keys(memberKinds).map((name, index) => [name, 1 << index]),
)

/** Members of other chains that nodes put into logs, with values that hold no quotes or brackets. */
const foreignMembers = new Set(['blockTimestamp', 'removed'])

/** A number, a quantity or a literal: what members that are left out hold. */
const scalar = /^(?:true|false|null|0|[1-9][0-9]*|"0x[0-9a-fA-F]*")$/

/** Quantities with more digits than this are no safe integers for sure, and no blocks either. */
const mostDigits = 13

/**
 * Makes a node's log the contract's (specification 2.7). A log that is written as the contract writes it stays the bytes
 * that it is, but for members of other chains, which are cut out; only one that is written otherwise is parsed.
 * @param bytes an object of JSON, as far as its braces go
 * @returns undefined when it is no log of a block
 */
export function readLog(bytes: Buffer): LogText | undefined {
  return new LogReader(bytes).read() ?? parsedLog(bytes)
}

/** Reads a log of any form that JSON has. */
function parsedLog(bytes: Buffer): LogText | undefined {
  let value: JsonValue
  try {
    value = JSON.parse(bytes.toString('utf8'))
  } catch {
    return undefined
  }
  if (!isObject(value)) return undefined
  const made = normaliseLog(value)
  const { blockNumber, logIndex } = made
  if (!isQuantity(blockNumber) || !isQuantity(logIndex)) return undefined
  const block = Number(blockNumber)
  const index = Number(logIndex)
  if (!Number.isSafeInteger(block) || !Number.isSafeInteger(index)) return undefined
  return { text: Buffer.from(JSON.stringify(made)), block, index }
}

/** Reads one log's bytes from left to right, as long as they are in the contract's form. */
class LogReader {
  readonly #bytes: Buffer
  #at = 0
  #seen = 0
  #block = -1
  #index = -1
  /** The members that are kept, where some are not: each with what stands before it. */
  #kept: Buffer[] | undefined

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  /** The log, or undefined where it is not in the contract's form. */
  read(): LogText | undefined {
    if (!this.#take(openBrace)) return undefined
    do if (!this.#member()) return undefined
    while (this.#take(comma))
    if (!this.#take(closeBrace) || this.#at !== this.#bytes.length) return undefined
    if (this.#block < 0 || this.#index < 0) return undefined
    return { text: this.#text(), block: this.#block, index: this.#index }
  }

  #text(): Uint8Array {
    const kept = this.#kept
    if (kept === undefined) return this.#bytes
    const parts = kept.flatMap((member, index) => [index === 0 ? openingBrace : separator, member])
    return Buffer.concat([...parts, closingBrace])
  }

  #member(): boolean {
    this.#spaces()
    const start = this.#at
    if (this.#bytes[this.#at++] !== quote) return false
    const end = this.#bytes.indexOf(quote, this.#at)
    if (end < 0) return false
    const name = this.#bytes.toString('latin1', this.#at, end)
    this.#at = end + 1
    if (!this.#take(colon)) return false
    this.#spaces()
    const bit = memberBits.get(name)
    if (bit === undefined) return foreignMembers.has(name) && this.#leave(start)
    if ((this.#seen & bit) !== 0) return false
    this.#seen |= bit
    if (!this.#value(name)) return false
    this.#kept?.push(this.#bytes.subarray(start, this.#at))
    return true
  }

  #value(name: string): boolean {
    switch (memberKinds[name]) {
      case 'topics':
        return this.#topics()
      case 'quantity':
        return this.#quantity(name)
      default:
        return this.#hex()
    }
  }

  /** Leaves a member out: from now on members are kept one by one. */
  #leave(start: number): boolean {
    this.#kept ??= this.#before(start)
    const from = this.#at
    let byte = this.#bytes[this.#at]
    while (byte !== undefined && byte !== comma && byte !== closeBrace && !isSpace(byte))
      byte = this.#bytes[++this.#at]
    return scalar.test(this.#bytes.toString('latin1', from, this.#at))
  }

  /** What stands between the opening brace and the first member that is left out. */
  #before(start: number): Buffer[] {
    const opening = this.#bytes.indexOf(openBrace)
    const last = this.#bytes.lastIndexOf(comma, start)
    return last < 0 ? [] : [this.#bytes.subarray(opening + 1, last)]
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

  /** `0x` and digits in lower case, in quotes. */
  #hex(): boolean {
    const bytes = this.#bytes
    let at = this.#at
    if (bytes[at] !== quote || bytes[at + 1] !== zero || bytes[at + 2] !== letterX) return false
    at += 3
    while (isDigit(bytes[at])) at++
    if (bytes[at] !== quote) return false
    this.#at = at + 1
    return true
  }

  #quantity(name: string): boolean {
    const digits = this.#at + 3
    if (!this.#hex()) return false
    const length = this.#at - 1 - digits
    if (length === 0 || length > mostDigits || (length > 1 && this.#bytes[digits] === zero)) return false
    const value = Number.parseInt(this.#bytes.toString('latin1', digits, this.#at - 1), 16)
    if (name === 'blockNumber') this.#block = value
    else if (name === 'logIndex') this.#index = value
    return true
  }

  #take(byte: number): boolean {
    this.#spaces()
    if (this.#bytes[this.#at] !== byte) return false
    this.#at++
    return true
  }

  #spaces(): void {
    while (isSpace(this.#bytes[this.#at])) this.#at++
  }
}

const openingBrace = Buffer.from('{')
const separator = Buffer.from(',')
const closingBrace = Buffer.from('}')
