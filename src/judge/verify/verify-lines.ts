import type { Contract } from '../../toolkit/contract/index.js'
import {
  badVerdicts,
  countsOf,
  countsText,
  createPaint,
  cut,
  groupBy,
  grouped,
  idsText,
  numbered,
  type Paint,
  type Report,
  type Verdict,
  verdictWords,
} from '../report/index.js'
import type { JudgedAgain } from './judge-again.js'
import type { Verification } from './verify-report.js'

/** Maximum characters of a reason, and maximum ids listed after one. */
const SHOWN = { reason: 300, ids: 3 } as const

/** A case with a new verdict. */
interface Judged extends JudgedAgain {
  readonly now: Verdict
}

/** Describes the new verdicts of a report and how they changed. */
export function verifyLines(
  report: Pick<Report, 'started' | 'target' | 'contract'>,
  { cases, added }: Verification,
  contract: Pick<Contract, 'title' | 'version'> & { readonly sha256: string },
  colours: boolean,
): readonly string[] {
  const paint = createPaint(colours)
  const judged = cases.filter((one): one is Judged => one.now !== undefined)
  const changed = judged.filter(({ before, now }) => before !== now)
  const failing = judged.filter(({ before, now }) => before === now && badVerdicts.has(now))
  return [
    '',
    ...headLines(report, contract),
    ...listLines('changed', changed, paint),
    ...listLines('still failing', failing, paint),
    ...lostLines(cases, paint),
    ...unjudgedLines(
      cases.filter((one) => !isLost(one)),
      paint,
    ),
    ...(added.length > 0 ? ['', `  ${numbered(added.length, 'case')} not in the report: ${ids(added)}`] : []),
    '',
    `  ${countsText(countsOf(judged.map(({ now }) => ({ verdict: now }))))}        ${summary(cases, judged, changed)}`,
    '',
  ]
}

function headLines(
  { started, target, contract: then }: Pick<Report, 'started' | 'target' | 'contract'>,
  now: { readonly title: string; readonly version: string; readonly sha256: string },
): readonly string[] {
  const same =
    then.sha256 === now.sha256
      ? 'the same as then'
      : `then ${then.version}, sha256 ${then.sha256.slice(0, 12)}…`
  return [
    `  Report     ${started.replace('T', ' ').replace(/\.\d+Z$/, ' UTC')}, ${target.url}`,
    `  Contract   ${now.title} ${now.version}, sha256 ${now.sha256.slice(0, 12)}…   (${same})`,
  ]
}

function listLines(title: string, cases: readonly Judged[], paint: Paint): readonly string[] {
  if (cases.length === 0) return []
  const lines = cases.flatMap(({ id, before, now, reason }) => {
    const mark = badVerdicts.has(now) ? paint.bad('✗') : paint.good('✓')
    const words = before === now ? verdictWords[now] : `${verdictWords[before]} → ${verdictWords[now]}`
    return [
      `  ${mark} ${paint.strong(id)}   ${words}`,
      ...(reason === undefined ? [] : [`      ${cut(reason, SHOWN.reason)}`]),
    ]
  })
  return ['', `  ${title}`, ...lines]
}

/** True for a case that failed before and cannot be judged again. */
function isLost({ before, now, isGone }: JudgedAgain): boolean {
  return now === undefined && badVerdicts.has(before) && isGone !== true
}

function lostLines(cases: readonly JudgedAgain[], paint: Paint): readonly string[] {
  const lost = cases.filter(isLost)
  if (lost.length === 0) return []
  const lines = lost.flatMap(({ id, before, reason = '' }) => [
    `  ${paint.bad('✗')} ${paint.strong(id)}   ${verdictWords[before]} then`,
    `      ${cut(reason, SHOWN.reason)}`,
  ])
  return ['', '  may still fail: not judged again', ...lines]
}

function unjudgedLines(cases: readonly JudgedAgain[], paint: Paint): readonly string[] {
  const unjudged = cases.filter(({ now }) => now === undefined)
  if (unjudged.length === 0) return []
  const byReason = groupBy(unjudged, ({ reason }) => reason ?? '')
  const lines = [...byReason].map(
    ([reason, list]) =>
      `  ${grouped(list.length).padStart(5)}  ${cut(reason, SHOWN.reason)}  ${paint.faint(`(${ids(list.map(({ id }) => id))})`)}`,
  )
  return ['', '  not judged again', ...lines]
}

function ids(all: readonly string[]): string {
  return idsText(all, SHOWN.ids)
}

function summary(
  cases: readonly JudgedAgain[],
  judged: readonly Judged[],
  changed: readonly Judged[],
): string {
  const rest = cases.length - judged.length
  return [
    `${grouped(judged.length)} of ${numbered(cases.length, 'case')} judged again`,
    `${grouped(changed.length)} changed`,
    ...(rest > 0 ? [`${grouped(rest)} not`] : []),
  ].join(', ')
}

/**
 * Computes the exit code of a verification.
 *
 * - 0: no case fails
 * - 1: a case fails or is stale, or did so originally and cannot be judged again
 * - 2: no case could be judged again
 */
export function verifyExitCode({ cases }: Verification): 0 | 1 | 2 {
  if (cases.some((one) => isLost(one) || (one.now !== undefined && badVerdicts.has(one.now)))) return 1
  return cases.some(({ now }) => now !== undefined) ? 0 : 2
}
