import type { Checks } from '../../checks/checks.js'
import { fillExpectation } from '../../expect/fill-expectation.js'
import { matchValue } from '../../expect/match-value.js'
import { fill, type Variables } from '../../scenario/fill.js'
import type { Condition } from '../../scenario/scenario.js'

/** True when a captured value satisfies a condition. */
export function isTrue({ value, is }: Condition, variables: Variables, checks: Checks): boolean {
  const { result: expected = null } = fillExpectation({ result: is }, variables)
  return matchValue(expected, fill(value, variables), '', checks.schema).length === 0
}
