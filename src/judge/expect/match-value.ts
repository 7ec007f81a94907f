import type { JsonValue } from '@concordat/rpc'
import type { Finding } from '../report/index.js'
import type { Matcher } from '../scenario/scenario.js'
import { ScenarioRunError } from '../scenario/scenario-run-error.js'
import { differs, matchLiteral } from './match-literal.js'
import { isTest, type Match } from './matcher.js'
import { listOf, matcherTests, type TestTools } from './matcher-tests.js'
import { nearestFindings } from './nearest-findings.js'
import type { SchemaCheck } from './schema-check.js'

/**
 * Compares an actual value with an expectation whose variables are filled in.
 * @param actual undefined if there is no value; only `$absent` accepts that
 * @param where JSON pointer of the place, for the findings
 * @throws ScenarioRunError if a variable turned a matcher into an invalid one
 */
export function matchValue(
  expected: Matcher,
  actual: JsonValue | undefined,
  where: string,
  schemas: SchemaCheck,
): Finding[] {
  const match: Match = (part, value, place) => {
    if (!isTest(part)) return matchLiteral(part, value, place, match)
    return Object.entries(part).flatMap(([name, argument]) =>
      runTest(name, argument ?? null, value, place, tools),
    )
  }
  const tools: TestTools = { match, schemas }
  return [...match(expected, actual, where)]
}

function runTest(
  name: string,
  argument: JsonValue,
  actual: JsonValue | undefined,
  where: string,
  tools: TestTools,
): readonly Finding[] {
  const expected = { [name]: argument }
  if (name === '$absent') return actual === undefined ? [] : differs(expected, actual, where)
  if (name === '$one-of') {
    const choices = listOf(argument, name)
    if (choices.some((value) => tools.match(value, actual, where).length === 0)) return []
    const nearest = choices
      .flatMap((choice) => {
        const findings = nearestFindings(choice, [{ value: actual, where }], tools.match)
        return findings === undefined ? [] : [findings]
      })
      .toSorted((one, other) => one.length - other.length)[0]
    return [...(nearest ?? []), ...differs(expected, actual, where)]
  }
  if (actual === undefined) return differs(expected, actual, where)
  // An absent value does not satisfy `$not: null`, so that a missing member never goes unnoticed.
  if (name === '$not') {
    return tools.match(argument, actual, where).length === 0 ? differs(expected, actual, where) : []
  }
  const test = Object.hasOwn(matcherTests, name) ? matcherTests[name] : undefined
  if (test === undefined) throw new ScenarioRunError(`"${name}" is not a matcher`)
  return test(argument, actual, where, tools)
}
