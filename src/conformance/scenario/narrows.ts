import { isArray, isObject, type JsonObject, type JsonValue } from '../../contract/index.js'
import { matchValue } from '../expect/match-value.js'
import { isTest } from '../expect/matcher.js'

/**
 * Whether a matcher of a result, or of something within it, says more than the contract's schema already does.
 * Types and schemas alone do not: the schema of the result is checked of every answer. A value, null, a list or an
 * object as it stands, a pattern, a bound, a length, a member that is absent do. `$not` says as much as what it
 * excludes; `$has` and `$each` as much as what they hold; `$one-of` only where each of its choices narrows.
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

/** Of a header every statement counts, since none is checked otherwise, but not that it may be there or not. */
export function narrowsHeader(matcher: JsonValue): boolean {
  const choices = isTest(matcher) ? matcher['$one-of'] : undefined
  if (!isArray(choices) || !choices.some(isAbsence)) return true
  return choices.every((choice) => isAbsence(choice) || narrows(choice))
}

/** HTTP statuses that a service may well answer with. */
const STATUSES = [200, 204, 400, 401, 403, 404, 405, 408, 413, 415, 429, 431, 500, 502, 503, 504]

/**
 * Of a call, 200 is what every result comes with; of raw bytes it is a statement, and only what takes every status
 * is none.
 */
export function narrowsStatus(matcher: JsonValue, raw: boolean): boolean {
  if (JSON.stringify(matcher).includes('${')) return true
  const accepts = (status: number) => matchValue(matcher, status, 'status', () => []).length === 0
  return raw ? !STATUSES.every(accepts) : !accepts(200)
}

/** Texts that no pattern with a meaning takes all of. */
const ODD_TEXTS = ['', '0', 'x y', '0x', '~\u0000\n"', 'null', '-1e9', '日本']

/** A pattern with a variable says something; one that no longer compiles has been refused elsewhere. */
function acceptsAnyText(pattern: string): boolean {
  if (pattern.includes('${')) return false
  const compiled = new RegExp(pattern, 'u')
  return ODD_TEXTS.every((text) => compiled.test(text))
}

function isAbsence(matcher: JsonValue): matcher is JsonObject {
  return isTest(matcher) && matcher['$absent'] === true
}

/** `[null, { $not: null }]`: each says something, and together they take everything. */
function holdsOpposites(choices: readonly JsonValue[]): boolean {
  const texts = choices.map((choice) => JSON.stringify(choice))
  return choices.some((choice) => {
    const opposite = isTest(choice) ? choice['$not'] : undefined
    return opposite !== undefined && texts.includes(JSON.stringify(opposite))
  })
}
