import type { ReportDifference } from './baseline.js'
import { idsText } from './text/ids-text.js'
import { slowerText } from './text/latency-words.js'
import { grouped } from './text/words.js'

/** Maximum number of ids in a line. */
const IDS = 5

/** Formats the difference to a previous report for a terminal. Lists without cases are omitted. */
export function differenceLines(difference: ReportDifference): readonly string[] {
  const { failing, fixed, still, unjudged, added, removed, coverage, slower, lostFixtures, lostRules } =
    difference
  const lists = [
    ['new failures', failing.map(({ id }) => id)],
    ['fixed', fixed.map(({ id }) => id)],
    ['still failing', still.map(({ id }) => id)],
    ['failed before, not judged now', unjudged.map(({ id }) => id)],
    ['fixtures no longer found', lostFixtures],
    ['rules no longer judged', lostRules],
    ['new cases', added],
    ['removed cases', removed],
    ...coverage.map(({ kind, lost }) => [`${kind} no longer seen`, lost] as const),
    ['latencies higher', slower.map(slowerText)],
  ] as const
  const lines = lists.flatMap(([name, ids]) => {
    const count = `${grouped(ids.length)} ${name}`
    return ids.length === 0 ? [] : [`  ${count.padEnd(20)} ${idsText(ids, IDS)}`]
  })
  return ['  Since the baseline:', ...(lines.length === 0 ? ['  no difference'] : lines), '']
}
