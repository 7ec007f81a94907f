import {
  type Contract,
  facets,
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  type LocatedSchema,
  member,
  memberSchemas,
  toQuantity,
} from '../../toolkit/contract/index.js'
import type { Checks } from '../checks/checks.js'
import type { Head } from '../report/index.js'
import { createHeadReader, type HeadReader, headAt, isAboutHead } from '../requests/head-reader.js'
import type { Send } from '../send/exchange.js'
import type { Target } from '../send/target.js'
import type { HeadQuestion } from '../terms/contract-terms.js'

/** Distances below the lower head at which to look for a common block, in order. */
const STEPS_BACK = [0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 1024] as const

/** Reads a deployment's head and its blocks by number, through `x-head`. */
export interface BlockReader {
  readonly head: HeadReader
  /** Block at a number; undefined if there is none or the answer is unusable. */
  readonly at: (number: JsonValue) => Promise<Head | undefined>
}

/** Creates a reader of heads and blocks; undefined without `x-head`. */
export function createBlockReader(
  question: HeadQuestion | undefined,
  target: Target,
  send: Send,
  nextId: () => number,
): BlockReader | undefined {
  if (question === undefined) return undefined
  return {
    head: createHeadReader(question, target, send, nextId),
    at: (number) => headAt(number, question, target, send, nextId),
  }
}

/** Finds a common block of both deployments near the lower head, the highest of a few candidates. */
export async function findCommonBlock(
  a: BlockReader,
  b: BlockReader,
  heads: readonly Head[],
): Promise<Head | undefined> {
  const numbers = heads.map(({ number }) => numberOf(number))
  if (numbers.some((number) => number === undefined)) return undefined
  const lower = numbers.reduce((one, other) => ((one ?? 0n) < (other ?? 0n) ? one : other)) ?? 0n
  const candidates = STEPS_BACK.map((step) => lower - BigInt(step)).filter((number) => number >= 0n)
  for (const candidate of lower > 0n ? [...candidates, 0n] : candidates) {
    const number = written(candidate, heads[0]?.number ?? '')
    const [one, other] = [await a.at(number), await b.at(number)]
    if (one !== undefined && one.hash === other?.hash && one.number === other.number) return one
  }
  return undefined
}

function numberOf(text: string): bigint | undefined {
  return /^(0x[0-9a-f]+|\d+)$/i.test(text) ? BigInt(text) : undefined
}

/** Writes a number in the format of the heads: hexadecimal or decimal. */
function written(number: bigint, like: string): JsonValue {
  return like.startsWith('0x') ? toQuantity(number) : Number(number)
}

/** Parameters of a call after pinning. */
export interface PinnedCall {
  readonly params: JsonValue | undefined
  /** True when a reference to the head was replaced by the common block. */
  readonly isPinned: boolean
  /** True when the call refers to unsettled data, on which deployments may differ. */
  readonly isUnsettled: boolean
}

/**
 * Replaces references to the head by the common block, including an omitted parameter that defaults to the
 * head.
 * @param commonBlock common block; without it the parameters stay unchanged
 * @param takes true if parameters fit the schemas of a method
 */
export function pinCall(
  method: string,
  params: JsonValue | undefined,
  contract: Contract,
  question: HeadQuestion | undefined,
  commonBlock: Head | undefined,
  takes: Checks['takes'],
): PinnedCall {
  if (question === undefined) return { params, isPinned: false, isUnsettled: false }
  let isPinned = false
  let isUnsettled = false
  const replaced = (value: JsonValue): JsonValue => {
    if (isArray(value)) return value.map(replaced)
    if (isObject(value)) return mapped(value, replaced)
    if (question.unsettled.includes(value)) isUnsettled = true
    if (commonBlock === undefined || !question.moving.includes(value)) return value
    isPinned = true
    return /^\d+$/.test(commonBlock.number) ? Number(commonBlock.number) : commonBlock.number
  }
  const given = params === undefined ? undefined : withDefaults(method, params, contract, question, takes)
  const sent = given === undefined ? undefined : replaced(given)
  if (isPinned && namesLaterBlock(method, sent ?? null, question, commonBlock, takes)) isPinned = false
  return { params: isPinned ? sent : params, isPinned, isUnsettled }
}

/**
 * True if a call depends on the head, of which two recordings have different ones: if it refers to the head, if it
 * names a block above the lower one, or if it names a block and only one deployment still has its state.
 */
export function mayFollowHead(
  { method, params }: { readonly method: string; readonly params: JsonValue | undefined },
  isOneRefused: boolean,
  lower: Head | undefined,
  { contract, question, takes }: { contract: Contract; question: HeadQuestion; takes: Checks['takes'] },
): boolean {
  const filled = params && withDefaults(method, params, contract, question, takes)
  return (
    isAboutHead({ params: filled }, question) ||
    namesLaterBlock(method, filled ?? null, question, lower, takes) ||
    (isOneRefused && namesBlock(method, filled ?? null, question, takes, () => true))
  )
}

/** True if parameters name a block above the common one by its number, which one deployment may lack. */
function namesLaterBlock(
  method: string,
  params: JsonValue,
  question: HeadQuestion,
  commonBlock: Head | undefined,
  takes: Checks['takes'],
): boolean {
  const common = numberOf(commonBlock?.number ?? '')
  if (common === undefined) return false
  return namesBlock(method, params, question, takes, (value) => {
    const number =
      typeof value === 'string' || typeof value === 'number' ? numberOf(String(value)) : undefined
    return number !== undefined && number > common
  })
}

/**
 * True if parameters name a block for which a condition holds. A parameter names a block if its schema takes a
 * reference to the head there, too.
 */
function namesBlock(
  method: string,
  params: JsonValue,
  { moving: [head] }: HeadQuestion,
  takes: Checks['takes'],
  isMeant: (block: JsonValue) => boolean,
): boolean {
  if (head === undefined) return false
  /** Searches a part of the parameters. @param whole returns the parameters with another value for the part */
  const search = (part: JsonValue, whole: (other: JsonValue) => JsonValue): boolean => {
    if (isMeant(part) && takes(method, whole(head))) return true
    if (isArray(part)) return part.some((item, at) => search(item, (other) => whole(part.with(at, other))))
    if (!isObject(part)) return false
    return Object.entries(part).some(([name, value]) =>
      search(value ?? null, (other) => whole({ ...part, [name]: other })),
    )
  }
  return search(params, (other) => other)
}

/** The lower one of two heads; undefined if a number is unknown. */
export function lowerHead(a: Head | undefined, b: Head | undefined): Head | undefined {
  const [one, other] = [numberOf(a?.number ?? ''), numberOf(b?.number ?? '')]
  if (one === undefined || other === undefined) return undefined
  return one < other ? a : b
}

function mapped(object: JsonObject, change: (value: JsonValue) => JsonValue): JsonObject {
  const entries = Object.entries(object).map(([name, value]) => [name, change(value ?? null)] as const)
  return Object.fromEntries(entries)
}

/**
 * Adds the first omitted parameter, and omitted members of parameters, whose default refers to the head, unless
 * parameters that fit their schemas no longer fit then.
 */
function withDefaults(
  method: string,
  params: JsonValue,
  contract: Contract,
  { moving }: HeadQuestion,
  takes: Checks['takes'],
): JsonValue {
  const declared = contract.methods.find(({ name }) => name === method)?.params ?? []
  if (!isArray(params)) return params
  const headOf = ({ schema }: LocatedSchema) => {
    const value = isObject(schema) ? schema['default'] : undefined
    return value !== undefined && moving.includes(value) ? value : undefined
  }
  const next = declared[params.length]
  const added = next && headOf(next.schema)
  let filled: readonly JsonValue[] = added === undefined ? params : [...params, added]
  for (const [at, { schema }] of declared.slice(0, filled.length).entries()) {
    for (const [name, [own]] of memberSchemas(facets(contract, [schema]))) {
      const given = filled[at]
      const value = own && headOf(own)
      if (!isObject(given) || value === undefined || (member(given, name) ?? null) !== null) continue
      const candidate = filled.with(at, { ...given, [name]: value })
      if (takes(method, candidate) || !takes(method, filled)) filled = candidate
    }
  }
  return filled
}
