import {
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  joinPointer,
  member,
  pointerTokens,
} from '../../../toolkit/contract/index.js'
import { isNear } from '../../expect/near.js'

/** A place where two answers differ. */
export interface Difference {
  /** JSON pointer into the answer, such as `/result/gasUsed` or `/items/0/error/code`, or `status`. */
  readonly where: string
  /** Value of A as JSON text, or `absent`. */
  readonly a: string
  readonly b: string
}

/** Comparison of two answers. */
export interface Likeness {
  readonly differences: readonly Difference[]
  /** True when both are errors that differ only in their message. */
  readonly isWording: boolean
  /** True when one is a result and the other an error. */
  readonly isOneRefused: boolean
}

/**
 * Maximum number of differences reported for one answer. Ten thousand different list items are one problem.
 */
const MOST = 20

/** Characters of a value to print. */
const LONGEST_VALUE = 300

/**
 * Compares two JSON-RPC answers. Results are compared as a whole, errors by code and data. Ids are ignored.
 * @param volatile JSON pointers into the result that the contract marks as volatile; `*` matches any list
 * index
 * @param within tolerance for numbers and hex quantities of the results. Default: none. With a tolerance, a result that
 * is volatile as a whole is compared too
 */
export function compareAnswers(
  a: JsonValue,
  b: JsonValue,
  volatile: readonly string[],
  at: string,
  within?: JsonValue,
): Likeness {
  const [errorA, errorB] = [errorOf(a), errorOf(b)]
  if (errorA === undefined && errorB === undefined) {
    const patterns = volatile
      .filter((pointer) => pointer !== '' || within === undefined)
      .map((pointer) => pointerTokens(`#${pointer}`) ?? [])
    const [one, other] = [resultOf(a), resultOf(b)]
    return {
      differences: found(one, other, `${at}/result`, [], { volatile: patterns, within }),
      isWording: false,
      isOneRefused: false,
    }
  }
  if (errorA === undefined || errorB === undefined) {
    const difference = { where: at, a: shown(outcomeOf(a)), b: shown(outcomeOf(b)) }
    return { differences: [difference], isWording: false, isOneRefused: true }
  }
  const differences = ['code', 'data'].flatMap((name) =>
    found(member(errorA, name), member(errorB, name), `${at}/error/${name}`, [], {
      volatile: [],
      within: undefined,
    }),
  )
  const isWording = differences.length === 0 && member(errorA, 'message') !== member(errorB, 'message')
  return { differences, isWording, isOneRefused: false }
}

function errorOf(answer: JsonValue): JsonObject | undefined {
  const error = isObject(answer) ? member(answer, 'error') : undefined
  return isObject(error) ? error : undefined
}

function resultOf(answer: JsonValue): JsonValue | undefined {
  return isObject(answer) ? member(answer, 'result') : undefined
}

function outcomeOf(answer: JsonValue): JsonValue {
  const error = errorOf(answer)
  return error === undefined ? { result: resultOf(answer) ?? null } : { error }
}

/** Differences that do not count. */
interface Ignored {
  readonly volatile: readonly (readonly string[])[]
  readonly within: JsonValue | undefined
}

function found(
  a: JsonValue | undefined,
  b: JsonValue | undefined,
  where: string,
  path: readonly string[],
  ignored: Ignored,
): Difference[] {
  const { volatile, within } = ignored
  if (volatile.some((tokens) => isAt(path, tokens))) return []
  if (isArray(a) && isArray(b)) {
    const lengths = a.length === b.length ? [] : [{ where, a: listText(a), b: listText(b) }]
    const shorter = Math.min(a.length, b.length)
    return collected(lengths, Array(shorter).keys(), (index) =>
      found(a[index], b[index], joinPointer(where, index), [...path, String(index)], ignored),
    )
  }
  if (isObject(a) && isObject(b)) {
    const names = new Set([...Object.keys(a), ...Object.keys(b)])
    return collected([], names, (name) =>
      found(member(a, name), member(b, name), joinPointer(where, name), [...path, name], ignored),
    )
  }
  const isTolerated =
    within !== undefined && a !== undefined && b !== undefined && isNear(a, b, within) === true
  return a === b || isTolerated ? [] : [{ where, a: shown(a), b: shown(b) }]
}

function collected<Key>(
  first: Difference[],
  keys: Iterable<Key>,
  inner: (key: Key) => Difference[],
): Difference[] {
  const all = [...first]
  for (const key of keys) {
    if (all.length >= MOST) break
    all.push(...inner(key))
  }
  return all.slice(0, MOST)
}

function isAt(path: readonly string[], tokens: readonly string[]): boolean {
  return path.length === tokens.length && tokens.every((token, at) => token === '*' || token === path[at])
}

function listText(list: readonly JsonValue[]): string {
  return `a list of ${list.length}`
}

function shown(value: JsonValue | undefined): string {
  if (value === undefined) return 'absent'
  const text = JSON.stringify(value)
  return text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE)}… (${text.length} characters)` : text
}
