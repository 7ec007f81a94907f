import { type ExitCode, exitCodeOf } from './exit-code.js'
import { type LatencyRegression, latencyRegressions, latencyTolerance } from './latency-regressions.js'
import type { AnswerCoverage, CaseResult, Report, Verdict } from './report.js'
import { countsOf, isCovered } from './verdicts.js'

/** Change of the coverage of one kind of contract element. */
export interface CoverageChange {
  readonly kind: keyof AnswerCoverage
  readonly before: AnswerCoverage['methods']
  readonly now: AnswerCoverage['methods']
  /** Parts that only the answers of the previous run had. Parts that left the contract are omitted. */
  readonly lost: readonly string[]
}

/** Difference between a report and a previous one. */
export interface ReportDifference {
  /** Failures that the previous report does not have. New cases that fail are included. */
  readonly failing: readonly CaseResult[]
  /** Cases that fail in both reports. */
  readonly still: readonly CaseResult[]
  /** Cases that failed before and pass now. */
  readonly fixed: readonly CaseResult[]
  /** Cases that failed before and have another verdict now. It is undefined if the report has no such case. */
  readonly unjudged: readonly { readonly id: string; readonly now: Verdict | undefined }[]
  /** Ids of cases that only one report has. Generated cases are omitted. */
  readonly added: readonly string[]
  readonly removed: readonly string[]
  readonly coverage: readonly CoverageChange[]
  /** Fixtures that the previous run found and this run needed but did not find. */
  readonly lostFixtures: readonly string[]
  /** Ids of rules that the previous run judged. Cases of this run are about them, but none came to a verdict. */
  readonly lostRules: readonly string[]
  /** Percentiles of latency that are higher than before by more than the tolerance. */
  readonly slower: readonly LatencyRegression[]
}

const BAD: ReadonlySet<Verdict> = new Set(['fail', 'no-answer', 'stale'])
const GOOD: ReadonlySet<Verdict> = new Set(['pass', 'tolerated'])

/**
 * Compares a report with a previous one. Cases are compared by id. Another seed gives other generated cases, so
 * a failure of a generated case also counts as old if a call of the same method failed for the same cause.
 * @param tolerance percentage by which a latency may rise
 */
export function compareReports(
  now: Report,
  before: Report,
  tolerance: number = latencyTolerance,
): ReportDifference {
  const earlier = new Map(before.cases.map((result) => [result.id, result]))
  const current = new Map(now.cases.map((result) => [result.id, result]))
  const oldCauses = new Set(before.cases.filter(isBad).flatMap((result) => generatedCause(result) ?? []))
  const nowCauses = new Set(now.cases.filter(isBad).flatMap((result) => generatedCause(result) ?? []))
  const wasBad = ({ id }: CaseResult) => isBad(earlier.get(id))
  const isOld = (result: CaseResult) => wasBad(result) || oldCauses.has(generatedCause(result) ?? '')
  const bad = now.cases.filter(isBad)
  const unjudged = before.cases.filter((result) => {
    const { verdict } = current.get(result.id) ?? {}
    const isJudged = verdict !== undefined && (BAD.has(verdict) || GOOD.has(verdict))
    return isBad(result) && !isJudged && !nowCauses.has(generatedCause(result) ?? '')
  })
  return {
    failing: bad.filter((result) => !isOld(result)),
    still: bad.filter(isOld),
    fixed: now.cases.filter((result) => GOOD.has(result.verdict) && wasBad(result)),
    unjudged: unjudged.map(({ id }) => ({ id, now: current.get(id)?.verdict })),
    added: writtenIds(now).filter((id) => !earlier.has(id)),
    removed: writtenIds(before).filter((id) => !current.has(id)),
    coverage: coverageChanges(now.coverage, before.coverage),
    lostFixtures: lostFixtures(now, before),
    lostRules: lostRules(now, before),
    slower: latencyRegressions(now.latency, before.latency, tolerance),
  }
}

/** Computes the exit code of a run in which the failures of the previous report do not count. */
export function exitCodeOfNew(
  report: Report,
  { still }: ReportDifference,
  requireComplete: boolean,
): ExitCode {
  const old = new Set(still.map(({ id }) => id))
  const cases = report.cases.map((result) =>
    old.has(result.id) ? { ...result, verdict: 'known-fail' as const } : result,
  )
  return exitCodeOf({ ...report, cases, counts: countsOf(cases) }, requireComplete)
}

function lostFixtures({ cases }: Report, { fixtures }: Report): readonly string[] {
  const lacking = new Set(cases.flatMap(({ lacks }) => lacks?.fixture ?? []))
  return [...lacking].filter((name) => Object.hasOwn(fixtures, name)).sort()
}

/** Rules whose cases may not run are left out: the run was called with other options than the previous one. */
function lostRules({ rules, cases, mode }: Report, before: Report): readonly string[] {
  const judged = new Set(before.rules.filter(isCovered).map(({ id }) => id))
  const allowed = new Set(cases.filter(({ effect }) => mode.allowed.includes(effect)).map(({ id }) => id))
  return rules
    .filter((rule) => judged.has(rule.id) && !isCovered(rule) && rule.cases.some(({ id }) => allowed.has(id)))
    .map(({ id }) => id)
}

function isBad(result: CaseResult | undefined): boolean {
  return result !== undefined && BAD.has(result.verdict)
}

/** Key of the cause of a generated case's failure, such as `explored/book result /result: …`. */
function generatedCause({ id, generated, cause }: CaseResult): string | undefined {
  if (generated === undefined || cause === undefined) return undefined
  return `${id.slice(0, id.lastIndexOf('/'))} ${cause}`
}

function writtenIds({ cases }: Report): readonly string[] {
  return cases.filter(({ generated }) => generated === undefined).map(({ id }) => id)
}

function coverageChanges(
  now: AnswerCoverage | undefined,
  before: AnswerCoverage | undefined,
): readonly CoverageChange[] {
  if (now === undefined || before === undefined) return []
  return (['methods', 'forms', 'members', 'branches', 'errors'] as const).flatMap((kind) => {
    const [earlier, current] = [before[kind], now[kind]]
    // Reports of earlier versions lack the forms.
    if (earlier === undefined || current === undefined) return []
    const wasNever = new Set(earlier.never)
    const known = earlier.reached ?? current.never
    const lost = current.never.filter((part) => !wasNever.has(part) && known.includes(part))
    return [{ kind, before: earlier, now: current, lost }]
  })
}
