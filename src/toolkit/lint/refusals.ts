import { type ChosenNames, type GenerationProblems, generationProblems } from '../codegen/index.js'
import type { Contract } from '../contract/index.js'
import { valueProblems } from '../values/index.js'

/**
 * Runs the steps that `generate`, `mock` and `conform` run for each method: compile its schemas, emit files, make values.
 * @param names names of the project in place of generated ones
 * @returns what they refuse (`not-generated`), and what they leave out (`left-out`, or the rule that a problem names)
 */
export function refusalsOf(contract: Contract, names?: ChosenNames): GenerationProblems {
  const { refused, leftOut } = generationProblems(
    contract,
    { name: 'concordat', version: '0.0.0' },
    { names },
  )
  // Schemas that cannot be compiled have no values, either.
  const valueless = refused.length > 0 ? [] : valueProblems(contract)
  return { refused, leftOut: [...leftOut, ...valueless] }
}
