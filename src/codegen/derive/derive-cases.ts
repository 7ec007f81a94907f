import type { Contract } from '../../contract/index.js'
import type { DerivedCase } from './derived-case.js'
import { derivedRules } from './derived-rules.js'
import { exampleCases } from './example-cases.js'
import { valuePool } from './given-params.js'
import { refusalCases } from './refusal-cases.js'

/** The cases that follow from a contract alone, method by method; each call once. Methods without a result are left out. */
export function deriveCases(contract: Contract): readonly DerivedCase[] {
  const rulesFor = derivedRules(contract)
  const pool = valuePool(contract)
  return contract.methods.flatMap((method) => {
    if (!method.result) return []
    const cases = [...exampleCases(contract, method), ...refusalCases(contract, method, rulesFor, pool)]
    return withoutRepeats(cases)
  })
}

/** Where an example shows what would be derived as well, the example stands, for the rules of both. */
function withoutRepeats(cases: readonly DerivedCase[]): readonly DerivedCase[] {
  const byCall = new Map<string, DerivedCase>()
  for (const found of cases) {
    const call = JSON.stringify([found.network ?? null, found.params])
    const first = byCall.get(call)
    const rules = [...new Set([...(first?.rules ?? []), ...found.rules])]
    byCall.set(call, { ...(first ?? found), rules })
  }
  return [...byCall.values()]
}
