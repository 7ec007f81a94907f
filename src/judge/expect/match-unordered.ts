import { canonicalText, type JsonValue, joinPointer } from '../../toolkit/contract/index.js'
import { describe, type Finding } from '../report/index.js'
import { bounded } from './match-literal.js'
import { containsTest, describeMatcher, type Match } from './matcher.js'

/** Compares two lists in any order. Items are paired so that as few as possible are left over. */
export function matchUnordered(
  expected: readonly JsonValue[],
  actual: readonly JsonValue[],
  where: string,
  match: Match,
): readonly Finding[] {
  const { missing, surplus } = pairUp(expected, actual, where, match)
  const [one, another] = [missing[0], surplus[0]]
  if (missing.length === 1 && surplus.length === 1 && one !== undefined && another !== undefined) {
    return match(one, actual[another], joinPointer(where, another))
  }
  return bounded(
    [
      ...missing.map((item) => ({
        where,
        expected: `an item that is ${describeMatcher(item)}`,
        got: actual.length === 0 ? 'an empty list' : 'no unpaired item that matches',
      })),
      ...surplus.map((at) => ({
        where: joinPointer(where, at),
        expected: 'no further item',
        got: describe(actual[at]),
      })),
    ],
    where,
  )
}

/**
 * Pairs items. Literal items come first, by their JSON text: items equal to one are interchangeable for every
 * matcher, so no matcher loses its only partner. Matchers are paired by augmenting paths.
 */
function pairUp(expected: readonly JsonValue[], actual: readonly JsonValue[], where: string, match: Match) {
  const free = new Map<string, number[]>()
  for (const [at, item] of actual.entries()) {
    const key = canonicalText(item)
    const places = free.get(key)
    if (places === undefined) free.set(key, [at])
    else places.push(at)
  }
  const missing: JsonValue[] = []
  const tests: JsonValue[] = []
  for (const item of expected) {
    if (containsTest(item)) tests.push(item)
    else if (free.get(canonicalText(item))?.pop() === undefined) missing.push(item)
  }
  const left = [...free.values()].flat().sort((a, b) => a - b)
  const paired = pairTests(tests, left, (test, at) => match(test, actual[at], where).length === 0)
  return {
    missing: [...missing, ...tests.filter((_, at) => !paired.has(at))],
    surplus: left.filter((at) => ![...paired.values()].includes(at)),
  }
}

/**
 * Computes a maximum matching of matchers and items. The result maps the index of a matcher to that of an
 * item.
 */
function pairTests(
  tests: readonly JsonValue[],
  places: readonly number[],
  fits: (test: JsonValue, place: number) => boolean,
): ReadonlyMap<number, number> {
  const options = tests.map((test) => places.filter((place) => fits(test, place)))
  const holder = new Map<number, number>()
  const seat = (test: number, tried: Set<number>): boolean => {
    for (const place of options[test] ?? []) {
      if (tried.has(place)) continue
      tried.add(place)
      const other = holder.get(place)
      if (other === undefined || seat(other, tried)) {
        holder.set(place, test)
        return true
      }
    }
    return false
  }
  for (const test of tests.keys()) seat(test, new Set())
  return new Map([...holder].map(([place, test]) => [test, place]))
}
