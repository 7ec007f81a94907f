import { type ChosenNames, generationProblems } from '../codegen/index.js'
import type { Contract, ContractProblem } from '../contract/index.js'
import { valueProblems } from '../values/index.js'

/** Problems that other commands have with a contract. Those without a rule get that of the list. */
export interface Refusals {
  /** Problems for which code is not generated (`not-generated`). */
  readonly refused: readonly ContractProblem[]
  /** Problems for which a part of the contract is left out (`left-out`). */
  readonly leftOut: readonly ContractProblem[]
}

/**
 * Runs the steps that `generate`, `mock` and `conform` run for each method: compile its schemas, emit files, make values.
 * @param names names of the project in place of generated ones
 * @returns what they refuse, and what they leave out
 */
export function refusalsOf(contract: Contract, names?: ChosenNames): Refusals {
  const { refused, leftOut } = generationProblems(
    contract,
    { name: 'concordat', version: '0.0.0' },
    { names },
  )
  // Schemas that cannot be compiled have no values, either.
  const valueless = refused.length > 0 ? [] : valueProblems(contract)
  return { refused, leftOut: [...leftOut, ...valueless] }
}
