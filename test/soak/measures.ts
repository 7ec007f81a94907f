/** Values of a measure, one for each sample. */
export interface Measure {
  readonly name: string
  readonly unit: string
  readonly values: readonly number[]
  /** Growth over the judged time that is still flat: a part of the median, or an absolute number if that is more. */
  readonly tolerance: { readonly part: number; readonly least: number }
}

/** The judgement of a measure. */
export interface Verdict {
  /** Growth from the end of the warm-up to the end, by the slope. */
  readonly growth: number
  readonly median: number
  readonly isFlat: boolean
}

/**
 * Judges a measure by its slope after the warm-up: the median of the slopes between samples half the time apart, which
 * single peaks do not change (Theil and Sen).
 * @param warmUp number of samples that are not judged
 */
export function judgeMeasure({ values, tolerance }: Measure, warmUp: number): Verdict {
  const judged = values.slice(warmUp)
  const half = Math.floor(judged.length / 2)
  const rises = judged.slice(half).map((value, at) => value - (judged[at] ?? value))
  const growth = (half === 0 ? 0 : median(rises) / half) * Math.max(0, judged.length - 1)
  const usual = median(judged)
  return { growth, median: usual, isFlat: growth <= Math.max(usual * tolerance.part, tolerance.least) }
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other)
  return sorted[Math.floor(sorted.length / 2)] ?? 0
}

const width = 800
const height = 120
const margin = 30

/** Draws the measures below each other, as SVG. Each has its own scale, which begins at zero. */
export function plot(measures: readonly Measure[], warmUp: number, title: string): string {
  const rows = measures.map(({ name, unit, values }, row) => {
    const top = margin + row * (height + margin)
    const most = Math.max(...values, 1)
    const x = (at: number) => ((at / Math.max(1, values.length - 1)) * width).toFixed(1)
    const points = values.map((value, at) => `${x(at)},${(top + height * (1 - value / most)).toFixed(1)}`)
    return [
      `<text x="0" y="${top - 6}">${name}, 0 to ${Math.round(most)} ${unit}</text>`,
      `<rect x="0" y="${top}" width="${width}" height="${height}" fill="none" stroke="#999"/>`,
      `<line x1="${x(warmUp)}" y1="${top}" x2="${x(warmUp)}" y2="${top + height}" stroke="#999" stroke-dasharray="4"/>`,
      `<polyline points="${points.join(' ')}" fill="none" stroke="#2456e6" stroke-width="1.5"/>`,
    ].join('\n')
  })
  const whole = margin + measures.length * (height + margin) + margin
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${whole}" font-family="sans-serif" font-size="13">`,
    `<title>${title}</title>`,
    ...rows,
    `<text x="0" y="${whole - 8}">${title}</text>`,
    '</svg>',
    '',
  ].join('\n')
}
