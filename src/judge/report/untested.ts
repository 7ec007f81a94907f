import type { CaseResult, Report, Verdict } from './report.js'

/** Verdicts of cases without an answer to judge. */
const UNANSWERED: ReadonlySet<Verdict> = new Set([
  'not-run',
  'gave-up',
  'not-applicable',
  'no-answer',
  'harness-error',
])

/**
 * True when cases call methods of the contract but got no answer to judge. Cases whose effect is not allowed
 * do not count, since they are not part of the run without `--allow`.
 */
export function isUntested({ elements, cases, mode }: Pick<Report, 'elements' | 'cases' | 'mode'>): boolean {
  const allowed = new Set(cases.filter(({ effect }) => mode.allowed.includes(effect)).map(({ id }) => id))
  const calling = elements
    .flatMap((element) => (element.kind === 'method' ? element.cases : []))
    .filter(({ id }) => allowed.has(id))
  return calling.length > 0 && calling.every(({ verdict }) => UNANSWERED.has(verdict))
}

/** Counts the reasons of cases that call methods, most frequent first. */
export function missingReasons({
  elements,
  cases,
}: Pick<Report, 'elements' | 'cases'>): readonly { readonly reason: string; readonly cases: number }[] {
  const calling = new Set(
    elements.flatMap(({ kind, cases }) => (kind === 'method' ? cases : [])).map(({ id }) => id),
  )
  const counts = new Map<string, number>()
  const add = ({ reason = '' }: CaseResult) => counts.set(reason, (counts.get(reason) ?? 0) + 1)
  for (const result of cases) if (calling.has(result.id)) add(result)
  return [...counts].map(([reason, cases]) => ({ reason, cases })).toSorted((a, b) => b.cases - a.cases)
}
