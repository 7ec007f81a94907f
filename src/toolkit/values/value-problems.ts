import { type Contract, joinPointer, type LocatedSchema, type Method } from '../contract/index.js'
import { NoValueError } from './constraints.js'
import { createValues, seededValue, type Values } from './create-values.js'
import { type PatternProblem, patternProblems } from './texts/pattern-problems.js'

/** A schema of a method for which no value was found. */
export interface ValueProblem {
  readonly rule: 'no-value'
  /** JSON pointer of the innermost schema without a value. */
  readonly pointer: string
  readonly message: string
}

/** A parameter or result without a value. */
export interface ValuelessPart {
  /** JSON pointer of the innermost schema without a value. */
  readonly pointer: string
  /** Its name for messages, such as `the parameter "a"` or `the result`. */
  readonly part: string
}

/** Creates a function that lists the parameters and the result of a method for which no value can be generated. */
export function createValueJudge(contract: Contract): (method: Method) => readonly ValuelessPart[] {
  const values = createValues(contract)
  return ({ params, result }) => {
    const parts = [
      ...params.map(({ name, schema }) => [`the parameter "${name}"`, schema] as const),
      ...(result ? [['the result', result.schema] as const] : []),
    ]
    return parts.flatMap(([part, schema]) => {
      const pointer = placeWithoutValue(values, schema)
      return pointer === undefined ? [] : [{ pointer, part }]
    })
  }
}

/**
 * Finds patterns for which no text, and parameters and results for which no value can be generated. A schema that
 * several methods share is reported once, with the first of them.
 */
export function valueProblems(contract: Contract): readonly (PatternProblem | ValueProblem)[] {
  const judge = createValueJudge(contract)
  const patterns = patternProblems(contract)
  const explained = new Set(patterns.map(({ pointer }) => pointer))
  const found = new Map<string, ValueProblem>()
  for (const method of contract.methods) {
    for (const { pointer, part } of judge(method)) {
      if (found.has(pointer) || explained.has(joinPointer(pointer, 'pattern'))) continue
      const message = `no value was found for ${part} of "${method.name}": correct keywords that contradict each other, or add "examples"`
      found.set(pointer, { rule: 'no-value', pointer, message })
    }
  }
  return [...patterns, ...found.values()]
}

function placeWithoutValue(values: Values, schema: LocatedSchema): string | undefined {
  try {
    seededValue(values.valid([schema]), schema.pointer)
    return undefined
  } catch (error) {
    // A closed object is reported itself.
    if (error instanceof NoValueError) return error.pointer.replace(/\/additionalProperties$/, '')
    throw error
  }
}
