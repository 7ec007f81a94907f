import { type Contract, isArray, isObject, type JsonObject, type JsonValue } from '../../contract/index.js'
import { createHeadReader, type HeadReader } from '../run/answer/head-reader.js'
import type { HeadQuestion } from '../run/plan/contract-terms.js'
import type { Head } from '../run/result/report.js'
import type { Send } from '../send/exchange.js'
import type { Target } from '../send/target.js'

/** How far behind the lower of two heads a common block is looked for, one step after the other. */
const STEPS_BACK = [0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 1024] as const

/** Reads what a deployment has at its head, or at another place, by the question of the contract. */
export interface Ground {
  readonly head: HeadReader
  /** What it has at a number; undefined where it has nothing there, or does not tell. */
  readonly at: (number: JsonValue) => Promise<Head | undefined>
}

/** A way to read the ground of a target; undefined where the contract does not say how. */
export function groundOf(
  question: HeadQuestion | undefined,
  target: Target,
  send: Send,
  nextId: () => number,
): Ground | undefined {
  if (question === undefined) return undefined
  return {
    head: createHeadReader(question, target, send, nextId),
    at: async (number) => {
      const params = question.params.map((param) => (question.moving.includes(param) ? number : param))
      return createHeadReader({ ...question, params }, target, send, nextId).read()
    },
  }
}

/** The highest place that both have, near the lower of their heads; undefined where there is none. */
export async function commonPlace(a: Ground, b: Ground, heads: readonly Head[]): Promise<Head | undefined> {
  const numbers = heads.map(({ number }) => numberOf(number))
  if (numbers.some((number) => number === undefined)) return undefined
  const lower = numbers.reduce((one, other) => ((one ?? 0n) < (other ?? 0n) ? one : other)) ?? 0n
  const places = STEPS_BACK.map((step) => lower - BigInt(step)).filter((number) => number >= 0n)
  for (const place of lower > 0n ? [...places, 0n] : places) {
    const number = written(place, heads[0]?.number ?? '')
    const [one, other] = [await a.at(number), await b.at(number)]
    if (one !== undefined && one.hash === other?.hash && one.number === other.number) return one
  }
  return undefined
}

function numberOf(text: string): bigint | undefined {
  return /^(0x[0-9a-f]+|\d+)$/i.test(text) ? BigInt(text) : undefined
}

/** A number as the contract's heads write theirs: hexadecimal, or decimal. */
function written(number: bigint, like: string): JsonValue {
  return like.startsWith('0x') ? `0x${number.toString(16)}` : Number(number)
}

/** A call with its parameters as they are sent. */
export interface PinnedCall {
  readonly params: JsonValue | undefined
  /** Something in it stood for the head, and stands for the common place now. */
  readonly isPinned: boolean
  /** Something in it stands for what is not settled, which no two deployments need have alike. */
  readonly isUnsettled: boolean
}

/**
 * Puts the common place where a parameter stands for the head, and where one is left out that stands for it by default.
 * @param place undefined where there is none: then nothing is changed
 */
export function pinCall(
  method: string,
  params: JsonValue | undefined,
  contract: Contract,
  question: HeadQuestion | undefined,
  place: Head | undefined,
): PinnedCall {
  if (question === undefined) return { params, isPinned: false, isUnsettled: false }
  let isPinned = false
  let isUnsettled = false
  const replaced = (value: JsonValue): JsonValue => {
    if (isArray(value)) return value.map(replaced)
    if (isObject(value)) return mapped(value, replaced)
    if (question.unsettled.includes(value)) isUnsettled = true
    if (place === undefined || !question.moving.includes(value)) return value
    isPinned = true
    return /^\d+$/.test(place.number) ? Number(place.number) : place.number
  }
  const given = params === undefined ? undefined : withDefaults(method, params, contract, question)
  const sent = given === undefined ? undefined : replaced(given)
  return { params: isPinned ? sent : params, isPinned, isUnsettled }
}

function mapped(object: JsonObject, change: (value: JsonValue) => JsonValue): JsonObject {
  const entries = Object.entries(object).map(([name, value]) => [name, change(value ?? null)] as const)
  return Object.fromEntries(entries)
}

/** A parameter that is left out, and stands for the head by its schema's default, is written out. */
function withDefaults(
  method: string,
  params: JsonValue,
  { methods }: Contract,
  { moving }: HeadQuestion,
): JsonValue {
  const declared = methods.find(({ name }) => name === method)?.params ?? []
  const next = isArray(params) ? declared[params.length] : undefined
  const schema = next?.schema.schema
  const value = isObject(schema) ? schema['default'] : undefined
  return isArray(params) && value !== undefined && moving.includes(value) ? [...params, value] : params
}
