import type { CaseResult, Report, Verdict } from '../report.js'
import { groupBy } from './group-by.js'

/** Failures with the same cause. */
export interface FailureGroup {
  /** Case id for a single case. Otherwise the shared rule, or the violated check. */
  readonly title: string
  /** Rules that all cases of the group share. */
  readonly rules: readonly string[]
  /** Case that is shown in full. */
  readonly first: CaseResult
  readonly others: readonly CaseResult[]
}

const SHOWN: ReadonlySet<Verdict> = new Set(['fail', 'no-answer', 'gave-up'])

/** Groups failures and unanswered cases by cause, in order. */
export function failureGroups(cases: readonly CaseResult[]): readonly FailureGroup[] {
  const failures = cases.filter(({ verdict }) => SHOWN.has(verdict))
  const byCause = groupBy(failures, ({ verdict, cause, id }) => `${verdict} ${cause ?? id}`)
  return [...byCause.values()].flatMap((group) => groupOf(group) ?? [])
}

/** Returns the cases that did not run because one of these cases did not pass, directly or through others. */
export function waitingFor(
  failed: readonly CaseResult[],
  { cases }: Pick<Report, 'cases'>,
): readonly CaseResult[] {
  const ids = new Set(failed.map(({ id }) => id))
  const waiting: CaseResult[] = []
  for (let isNew = true; isNew; ) {
    const more = cases.filter(
      ({ id, waitedFor }) => waitedFor !== undefined && ids.has(waitedFor) && !ids.has(id),
    )
    for (const result of more) ids.add(result.id)
    waiting.push(...more)
    isNew = more.length > 0
  }
  return waiting
}

/** Returns the notes on expired known failures, without duplicates. */
export function expiredIn(cases: readonly CaseResult[]): readonly string[] {
  return [...new Set(cases.flatMap(({ expired }) => expired ?? []))]
}

function groupOf(group: readonly CaseResult[]): FailureGroup | undefined {
  const [earliest] = group
  if (earliest === undefined) return undefined
  const rules = earliest.rules.filter((rule) => group.every((result) => result.rules.includes(rule)))
  const [shared] = rules
  // A case with the shared rule as its main rule is the best example.
  const first = group.find((result) => result.rules[0] === shared) ?? earliest
  const others = group.filter((result) => result !== first)
  const title = others.length === 0 ? first.id : (shared ?? brokenIn(first))
  return { title, rules, first, others }
}

function brokenIn({ findings, reason }: CaseResult): string {
  const [finding] = findings
  return finding === undefined ? (reason ?? 'no reason') : `${finding.where} ${finding.expected}`
}
