import { type Contract, isObject, joinPointer, reachableSchemas, stringMember } from '../../contract/index.js'
import { shown, stated } from '../constraints.js'
import { hasTexts, matches } from './pattern-texts.js'

/** A lint warning about a pattern of the contract. */
export interface PatternProblem {
  readonly rule: 'pattern-without-examples'
  /** JSON pointer of the pattern. */
  readonly pointer: string
  readonly message: string
}

/**
 * Finds patterns for which no text can be generated, in schemas without matching examples or listed values.
 */
export function patternProblems(contract: Contract): readonly PatternProblem[] {
  return reachableSchemas(contract, () => undefined).flatMap(({ schema, pointer }) => {
    const pattern = isObject(schema) ? stringMember(schema, 'pattern') : undefined
    if (!isObject(schema) || pattern === undefined) return []
    const own = { schemas: [{ schema, pointer }] }
    const given = [...shown(own), ...stated(own, 'const'), ...stated(own, 'enum').flat()]
    const isShown = given.some((value) => typeof value === 'string' && matches(pattern, value))
    if (isShown || hasTexts(pattern)) return []
    const message = `no string can be generated for ${JSON.stringify(pattern)}: add "examples" with values that match it`
    return [{ rule: 'pattern-without-examples', pointer: joinPointer(pointer, 'pattern'), message }]
  })
}
