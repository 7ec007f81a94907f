import { isArray, isObject, type JsonObject, type JsonValue } from '../../../toolkit/contract/index.js'
import { matchValue } from '../../expect/match-value.js'
import { isTest } from '../../expect/matcher.js'

/**
 * Returns true if a matcher of a result, or of a part of it, rejects values that the contract's schema
 * accepts. Types and schemas alone do not, because results are always validated. Literal values, patterns,
 * bounds, lengths and absent members do. `$not`, `$has` and `$each` count as much as their arguments, and
 * `$one-of` only if all of its choices narrow.
 */
export function narrows(matcher: JsonValue): boolean {
  if (!isTest(matcher)) return true
  return Object.entries(matcher).some(([name, argument]) => testNarrows(name, argument ?? null))
}

function testNarrows(name: string, argument: JsonValue): boolean {
  switch (name) {
    case '$schema':
      return false
    case '$type':
      return [argument].flat().every((type) => type === 'null')
    case '$pattern':
      return typeof argument !== 'string' || !acceptsAnyText(argument)
    case '$min':
      return argument !== 0 && argument !== '0x0'
    case '$not':
      return !isAbsence(argument) && narrows(argument)
    case '$each':
    case '$length':
      return narrows(argument)
    case '$has':
      return !isObject(argument) || Object.values(argument).some((value) => narrows(value ?? null))
    case '$one-of':
      return !isArray(argument) || (argument.every(narrows) && !holdsOpposites(argument))
    default:
      return true
  }
}

/**
 * Every expectation of a header counts, because headers are not checked otherwise. The exception is a header
 * that may be present or absent.
 */
export function narrowsHeader(matcher: JsonValue): boolean {
  const choices = isTest(matcher) ? matcher['$one-of'] : undefined
  if (!isArray(choices) || !choices.some(isAbsence)) return true
  return choices.every((choice) => isAbsence(choice) || narrows(choice))
}

/** HTTP statuses that a service plausibly sends. */
const STATUSES = [200, 204, 400, 401, 403, 404, 405, 408, 413, 415, 429, 431, 500, 502, 503, 504]

/**
 * For a call, 200 is implied by every result. For raw bytes any status counts, unless all of them are
 * accepted.
 */
export function narrowsStatus(matcher: JsonValue, raw: boolean): boolean {
  if (JSON.stringify(matcher).includes('${')) return true
  const accepts = (status: number) => matchValue(matcher, status, 'status', () => []).length === 0
  return raw ? !STATUSES.every(accepts) : !accepts(200)
}

/** Strings that no meaningful pattern matches all of. */
const ODD_TEXTS = ['', '0', 'x y', '0x', '~\u0000\n"', 'null', '-1e9', '日本']

/** Patterns with variables count as narrowing. Invalid patterns have been rejected before. */
function acceptsAnyText(pattern: string): boolean {
  if (pattern.includes('${')) return false
  const compiled = new RegExp(pattern, 'u')
  return ODD_TEXTS.every((text) => compiled.test(text))
}

function isAbsence(matcher: JsonValue): matcher is JsonObject {
  return isTest(matcher) && matcher['$absent'] === true
}

/** Returns true for choices such as `[null, { $not: null }]`, which together accept everything. */
function holdsOpposites(choices: readonly JsonValue[]): boolean {
  const texts = choices.map((choice) => JSON.stringify(choice))
  return choices.some((choice) => {
    const opposite = isTest(choice) ? choice['$not'] : undefined
    return opposite !== undefined && texts.includes(JSON.stringify(opposite))
  })
}
