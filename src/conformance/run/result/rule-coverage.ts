import type { ContractRule } from '../plan/contract-terms.js'
import type { CaseResult, RuleCoverage, Verdict } from './report.js'

/** Verdicts of cases that ran to completion. Only these cover a rule. */
const TRIED: ReadonlySet<Verdict> = new Set(['pass', 'tolerated', 'fail', 'known-fail', 'stale'])

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

/** True when at least one case of the rule or element ran to completion, whatever its verdict. */
export function isCovered({ cases }: Pick<RuleCoverage, 'cases'>): boolean {
  return cases.some(({ verdict }) => TRIED.has(verdict))
}
