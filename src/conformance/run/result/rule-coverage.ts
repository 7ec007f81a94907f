import type { ContractRule } from '../plan/contract-terms.js'
import type { CaseResult, RuleCoverage, Verdict } from './report.js'

/** Verdicts of cases that were tried to an end: what they say about a rule counts. */
const TRIED: ReadonlySet<Verdict> = new Set(['pass', 'tolerated', 'fail', 'known-fail', 'stale'])

/** Every rule of the contract, each with the cases that are about it and what became of them. */
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

/** True when at least one case tried the rule, or another element, to an end, whatever it found. */
export function isCovered({ cases }: Pick<RuleCoverage, 'cases'>): boolean {
  return cases.some(({ verdict }) => TRIED.has(verdict))
}
