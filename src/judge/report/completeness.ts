import type { CaseResult, Completeness, CompletenessCounts, Report } from './report.js'
import { grouped, numbered } from './text/words.js'

/** Words for the outcomes of cases that were not judged, in the order of texts. */
const words: Readonly<Record<Exclude<keyof CompletenessCounts, 'judged'>, string>> = {
  gaveUp: 'given up',
  inconclusive: 'inconclusive',
  limited: 'refused by a limit of the service',
  notJudged: 'stopped by a defect of the runner',
  waiting: 'waiting for a case that did not pass',
  leftOut: 'left out by options',
  notApplicable: 'not applicable',
}

/** Counts the judged cases of a run, and the other cases by outcome. */
export function completenessOf({ cases }: Pick<Report, 'cases'>): Completeness {
  const counts = {
    judged: 0,
    gaveUp: 0,
    inconclusive: 0,
    limited: 0,
    notJudged: 0,
    waiting: 0,
    leftOut: 0,
    notApplicable: 0,
  }
  for (const result of cases) counts[partOf(result)]++
  const isComplete = counts.judged + counts.notApplicable === cases.length
  return { ...counts, verdict: counts.gaveUp > 0 ? 'gave-up' : isComplete ? 'complete' : 'incomplete' }
}

/** Formats in one line how much of a run was judged, and why the rest was not. */
export function completenessText({ cases }: Pick<Report, 'cases'>): string {
  const { judged, verdict, ...counts } = completenessOf({ cases })
  const said = Object.entries(words).flatMap(([part, word]) => {
    const number = counts[part as keyof typeof counts]
    return number === 0 ? [] : [`${grouped(number)} ${word}`]
  })
  const reason = cases.find((result) => result.verdict === 'gave-up')?.reason
  return [
    ...(verdict === 'gave-up' ? ['THE RUN GAVE UP'] : []),
    `${grouped(judged)} of ${numbered(cases.length, 'case')} judged`,
    ...said,
    ...(reason === undefined ? [] : [reason]),
  ].join('; ')
}

function partOf({ verdict, cause, waitedFor }: CaseResult): keyof CompletenessCounts {
  switch (verdict) {
    case 'gave-up':
      return 'gaveUp'
    case 'inconclusive':
      return 'inconclusive'
    case 'harness-error':
      return 'notJudged'
    case 'not-applicable':
      return 'notApplicable'
    case 'not-run':
      if (waitedFor !== undefined) return 'waiting'
      return cause === undefined ? 'leftOut' : 'limited'
    default:
      return 'judged'
  }
}
