import type { Report } from '../report.js'
import { isUntested } from '../untested.js'
import { failureGroups } from './failure-groups.js'
import { grouped, numbered } from './words.js'

/** Outcome of a run in one sentence, with its tone. */
export function headlineOf(report: Report): {
  readonly tone: 'good' | 'warn' | 'bad'
  readonly text: string
} {
  const { counts, cases } = report
  const kept = counts.pass + counts.tolerated
  const ran = kept + counts.fail + counts['known-fail'] + counts.stale
  if (counts.fail > 0) {
    const failed = cases.filter(({ verdict }) => verdict === 'fail')
    const causes = numbered(failureGroups(failed).length, 'reason')
    return { tone: 'bad', text: `${grouped(counts.fail)} of ${numbered(ran, 'case')} failed, for ${causes}` }
  }
  if (counts['no-answer'] > 0) {
    return { tone: 'bad', text: `${numbered(counts['no-answer'], 'case')} got no answer` }
  }
  if (counts['gave-up'] > 0) {
    return { tone: 'bad', text: `The run gave up: ${numbered(counts['gave-up'], 'case')} not judged` }
  }
  if (counts['harness-error'] > 0) {
    return { tone: 'bad', text: `${numbered(counts['harness-error'], 'case')} could not be checked` }
  }
  if (counts.stale > 0) {
    return { tone: 'bad', text: `${numbered(counts.stale, 'known failure')} must be removed from the list` }
  }
  if (ran === 0) return { tone: 'warn', text: 'No case was completed' }
  if (isUntested(report)) return { tone: 'warn', text: 'No method was answered' }
  if (counts['known-fail'] > 0) {
    return {
      tone: 'warn',
      text: `No new failures; ${numbered(counts['known-fail'], 'failure')} already known`,
    }
  }
  return { tone: 'good', text: `All ${numbered(ran, 'case')} that ran passed` }
}
