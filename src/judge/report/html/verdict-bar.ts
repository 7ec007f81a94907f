import { markupText } from '../../../toolkit/report-formats/index.js'
import type { Verdict } from '../report.js'
import { countsText } from '../text/words.js'
import { verdicts } from '../verdicts.js'

/** Bar of verdicts as inline SVG, which the policy allows without inline styles. */
export function verdictBar(counts: Readonly<Record<Verdict, number>>): string {
  const total = Math.max(
    1,
    verdicts.reduce((sum, verdict) => sum + counts[verdict], 0),
  )
  let x = 0
  const parts = verdicts.flatMap((verdict) => {
    const width = counts[verdict]
    if (width === 0) return []
    const part = `<rect class="${verdict}" x="${x}" width="${width}" height="1"/>`
    x += width
    return [part]
  })
  const label = markupText(countsText(counts))
  return `<svg class="bar" viewBox="0 0 ${total} 1" preserveAspectRatio="none" role="img" aria-label="${label}">${parts.join('')}</svg>`
}
