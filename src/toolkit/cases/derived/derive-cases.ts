import type { Contract } from '../../contract/index.js'
import { valuePool } from '../params/given-params.js'
import { paramsJudge } from '../params/params-judge.js'
import type { DerivedCase } from './derived-case.js'
import { derivedRules } from './derived-rules.js'
import { exampleCases } from './example-cases.js'
import { refusalCases } from './refusal-cases.js'
import { sharedMistakes } from './shared-mistakes.js'

/** The cases of a contract, for services with an unknown state and for those that start alike. */
const known = { unknown: new WeakMap<Contract, Derived>(), alike: new WeakMap<Contract, Derived>() }

type Derived = readonly DerivedCase[]

/**
 * Derives the cases of a contract, once, method by method: all examples, and calls with invalid parameters. Each
 * call occurs once. Methods without a result are left out.
 * @param startsAlike true if each run begins with the same state of the service, so that examples are exact
 */
export function deriveCases(contract: Contract, startsAlike = false): Derived {
  const before = known[startsAlike ? 'alike' : 'unknown']
  const cases = before.get(contract) ?? derive(contract, startsAlike)
  before.set(contract, cases)
  return cases
}

function derive(contract: Contract, startsAlike: boolean): Derived {
  const rulesFor = derivedRules(contract)
  const pool = valuePool(contract)
  const cases = contract.methods.flatMap((method) => {
    if (!method.result) return []
    const accepts = paramsJudge(contract, method)
    const examples = exampleCases(contract, method, accepts, startsAlike)
    return withoutRepeats(examples, refusalCases({ contract, method, accepts, rulesFor, pool }))
  })
  const chosen = new Set(sharedMistakes(cases.flatMap(({ shared }) => shared ?? [])))
  return cases.filter(({ shared }) => shared === undefined || chosen.has(shared))
}

/** Drops derived calls that an example already makes. The example also gets their rules. */
function withoutRepeats(
  examples: readonly DerivedCase[],
  refusals: readonly DerivedCase[],
): readonly DerivedCase[] {
  const callOf = ({ params }: DerivedCase) => JSON.stringify(params)
  const byCall = new Map<string, DerivedCase>()
  const shown = new Set(examples.filter(({ network }) => network === undefined).map(callOf))
  for (const refusal of refusals) byCall.set(callOf(refusal), byCall.get(callOf(refusal)) ?? refusal)
  const both = examples.map((example) => {
    const rules = example.network === undefined ? (byCall.get(callOf(example))?.rules ?? []) : []
    return { ...example, rules: [...new Set([...example.rules, ...rules])] }
  })
  return [...both, ...[...byCall.values()].filter((refusal) => !shown.has(callOf(refusal)))]
}
