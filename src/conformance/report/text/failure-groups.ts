import type { CaseResult, Verdict } from '../../run/result/report.js'
import { groupBy } from './group-by.js'

/** Failures with one cause. */
export interface FailureGroup {
  /** The id of the case where there is one; of several, the rule that all are about, or what all broke. */
  readonly title: string
  /** Ids of the rules that all cases of the group are about. */
  readonly rules: readonly string[]
  /** The case that is shown in full. */
  readonly first: CaseResult
  readonly others: readonly CaseResult[]
}

const SHOWN: ReadonlySet<Verdict> = new Set(['fail', 'no-answer'])

/** Failures, and cases without an answer, in their order; those with one cause together. */
export function failureGroups(cases: readonly CaseResult[]): readonly FailureGroup[] {
  const failures = cases.filter(({ verdict }) => SHOWN.has(verdict))
  const byCause = groupBy(failures, ({ verdict, cause, id }) => `${verdict} ${cause ?? id}`)
  return [...byCause.values()].flatMap((group) => groupOf(group) ?? [])
}

function groupOf(group: readonly CaseResult[]): FailureGroup | undefined {
  const [earliest] = group
  if (earliest === undefined) return undefined
  const rules = earliest.rules.filter((rule) => group.every((result) => result.rules.includes(rule)))
  const [shared] = rules
  // A case that is about the shared rule first shows it best.
  const first = group.find((result) => result.rules[0] === shared) ?? earliest
  const others = group.filter((result) => result !== first)
  const title = others.length === 0 ? first.id : (shared ?? brokenIn(first))
  return { title, rules, first, others }
}

function brokenIn({ findings, reason }: CaseResult): string {
  const [finding] = findings
  return finding === undefined ? (reason ?? 'no reason') : `${finding.where} ${finding.expected}`
}
