import type { CaseResult, RuleCoverage, Verdict } from '../../report/index.js'
import type { ContractRule } from '../../terms/contract-terms.js'

/** Lists every rule of the contract with its cases and their verdicts. */
export function ruleCoverage(
  rules: readonly ContractRule[],
  cases: readonly CaseResult[],
): readonly RuleCoverage[] {
  const byRule = new Map<string, { id: string; verdict: Verdict }[]>()
  for (const { id, verdict, rules } of cases) {
    for (const rule of new Set(rules)) {
      const list = byRule.get(rule) ?? []
      list.push({ id, verdict })
      byRule.set(rule, list)
    }
  }
  return rules.map((rule) => ({ ...rule, cases: byRule.get(rule.id) ?? [] }))
}
