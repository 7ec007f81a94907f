import type { CaseResult, Verdict } from '../report.js'
import { badCount, countsOf } from '../verdicts.js'
import { groupBy } from './group-by.js'
import type { Paint } from './paint.js'
import { countsText } from './words.js'
import { wrapText } from './wrap-text.js'

/** Width of a bar in characters. */
const BAR = 16

/** Verdicts that count as passed in a bar. */
const FULL: ReadonlySet<Verdict> = new Set(['pass', 'tolerated'])

/**
 * Renders a line for each group: name, bar of passed cases, and verdict counts.
 * @param columns terminal width in characters; undefined for unlimited lines
 */
export function groupLines(
  cases: readonly CaseResult[],
  paint: Paint,
  columns: number | undefined,
): readonly string[] {
  const groups = groupBy(cases, ({ group }) => group)
  const width = Math.max(0, ...[...groups.keys()].map((name) => name.length))
  return [...groups].map(([name, ofGroup]) => {
    const counts = countsOf(ofGroup)
    const isBad = badCount(counts) > 0
    const colour = isBad ? paint.bad : paint.good
    const text = wrapText(countsText(counts), 2 + width + 2 + BAR + 2, columns)
    return `  ${name.padEnd(width)}  ${colour(bar(ofGroup))}  ${text}`
  })
}

/** Renders a bar that is full only if all applicable cases passed, and empty only if none did. */
function bar(cases: readonly CaseResult[]): string {
  const applying = cases.filter(({ verdict }) => verdict !== 'not-applicable').length
  const passed = cases.filter(({ verdict }) => FULL.has(verdict)).length
  const share = passed / Math.max(1, applying)
  const full = share === 1 ? BAR : Math.min(BAR - 1, Math.max(share > 0 ? 1 : 0, Math.round(share * BAR)))
  return '█'.repeat(full) + '░'.repeat(BAR - full)
}
