import {
  arrayMember,
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  member,
} from '../../contract/index.js'
import { lengthsOutside, numbersOutside } from '../../values/index.js'
import type { Mistake } from './derived-rules.js'
import type { Place } from './places.js'

/** A possibly invalid value, with its description for the name and the sentence of a case. */
export interface MistakenValue {
  readonly mistake: Mistake
  readonly name: string
  readonly words: string
  readonly value: JsonValue
}

/** Maximum characters of a value as JSON, to keep generated files small. */
const sizeMost = 2000

/**
 * Lists values that may be invalid at a place. The schema decides.
 * @param takes true if the schemas accept a value at the place
 */
export function mistakenValues(
  { schemas, value }: Place,
  isParameter: boolean,
  takes: (value: JsonValue) => boolean,
): readonly MistakenValue[] {
  const keywords = schemas.flatMap(({ schema }) => (isObject(schema) ? [schema] : []))
  return [
    ...otherTypes(value, isParameter),
    ...(typeof value === 'string'
      ? [...texts(value, isParameter, takes), ...textLengths(value, keywords)]
      : []),
    ...(typeof value === 'number' ? numbers(keywords) : []),
    ...(isArray(value) ? lists(value, keywords) : []),
    ...(isObject(value) ? members(value, keywords) : []),
  ].filter((candidate) => JSON.stringify(candidate.value).length <= sizeMost)
}

function otherTypes(value: JsonValue, isParameter: boolean): readonly MistakenValue[] {
  const isText = typeof value === 'string'
  const everywhere: readonly MistakenValue[] = [
    { mistake: isText ? 'number' : 'type', name: 'number', words: 'a number', value: 7 },
    {
      mistake: isText ? 'text' : 'type',
      name: 'text',
      words: 'a string that does not match',
      value: 'a value that is not allowed',
    },
  ]
  if (!isParameter) return everywhere
  return [
    { mistake: 'type', name: 'null', words: 'null', value: null },
    { mistake: 'type', name: 'boolean', words: 'a boolean', value: true },
    ...everywhere,
    { mistake: 'type', name: 'list', words: 'a list', value: [] },
    { mistake: 'type', name: 'object', words: 'an object', value: {} },
  ]
}

/**
 * Changes bytes and numbers: a byte more or less, half a byte, a leading zero or no digits in hexadecimal, and a minus
 * before a decimal number.
 */
function texts(
  value: string,
  isParameter: boolean,
  takes: (value: JsonValue) => boolean,
): readonly MistakenValue[] {
  const isBytes = /^0x(?:[0-9a-f]{2})+$/i.test(value)
  const isNumber = takes('0x1') && takes('0x11')
  const short = text('length', 'byte-short', 'one byte less', value.slice(0, -2))
  const long = text('length', 'byte-long', 'one byte more', `${value}00`)
  const isOfAnyLength = takes(short.value) && takes(long.value)
  return [
    ...(isBytes ? [short, long] : []),
    ...(isBytes && isOfAnyLength ? [text('text', 'half-byte', 'half a byte more', `${value}0`)] : []),
    ...(isNumber ? [text('digits', 'leading-zero', 'a number with a leading zero', '0x01')] : []),
    ...(/^\d+(?:\.\d+)?$/.test(value) ? [text('digits', 'negative', 'a negative number', `-${value}`)] : []),
    ...(isNumber && isParameter ? [text('digits', 'no-digits', 'a number without digits', '0x')] : []),
  ]
}

function text(mistake: Mistake, name: string, words: string, value: string): MistakenValue {
  return { mistake, name, words, value }
}

function textLengths(value: string, keywords: readonly JsonObject[]): readonly MistakenValue[] {
  const filler = value.at(-1) ?? 'a'
  const { low, high } = lengthsOutside(keywords, 'Length', sizeMost)
  return [
    ...low.map((length) => text('length', 'short', 'a string that is too short', value.slice(0, length))),
    ...high.map((length) =>
      text('length', 'long', 'a string that is too long', value.padEnd(length, filler)),
    ),
  ]
}

function numbers(keywords: readonly JsonObject[]): readonly MistakenValue[] {
  const { low, high } = numbersOutside(keywords)
  return [
    ...low.map((value) => outside('low', 'a number that is too low', value)),
    ...high.map((value) => outside('high', 'a number that is too high', value)),
    outside('fraction', 'a fraction', 0.5),
  ]
}

function outside(name: string, words: string, value: JsonValue): MistakenValue {
  return { mistake: 'bounds', name, words, value }
}

function lists(value: readonly JsonValue[], keywords: readonly JsonObject[]): readonly MistakenValue[] {
  const { low, high } = lengthsOutside(keywords, 'Items', sizeMost)
  const repeated = (count: number) =>
    Array.from({ length: count }, (_, at) => value[at % value.length] ?? null)
  return [
    ...low.map((count) => outside('short', 'a list that is too short', value.slice(0, count))),
    ...high.map((count) => outside('long', 'a list that is too long', repeated(count))),
  ]
}

function members(value: JsonObject, keywords: readonly JsonObject[]): readonly MistakenValue[] {
  const required = keywords.flatMap((schema) => arrayMember(schema, 'required'))
  const names = [...new Set(required)].filter((name): name is string => typeof name === 'string').sort()
  const without = names.map((name) => ({
    mistake: 'member' as const,
    name: `without-${name}`,
    words: `an object without \`${name}\``,
    value: Object.fromEntries(Object.entries(value).filter(([other]) => other !== name)),
  }))
  const closed = keywords.some((schema) => member(schema, 'additionalProperties') === false)
  const more = { ...value, [unknownName]: true }
  return [
    ...without,
    ...(closed
      ? [{ mistake: 'member' as const, name: 'more', words: 'an object with an extra member', value: more }]
      : []),
  ]
}

/** Name that no parameter or member is likely to have. */
export const unknownName = 'noSuchName'
