/** What a process has at one time. */
export interface Sample {
  /** In MiB. */
  readonly residentMemory: number
  /** In MiB. */
  readonly usedHeap: number
  readonly openFiles: number
  readonly sockets: number
}

const memory = { part: 0.1, least: 20 }
const counts = { part: 0.1, least: 8 }

/** The measures of samples. */
export function measuresOf(samples: readonly Sample[]): readonly Measure[] {
  const values = (of: keyof Sample) => samples.map((sample) => sample[of])
  return [
    { name: 'resident memory', unit: 'MiB', values: values('residentMemory'), tolerance: memory },
    { name: 'used heap', unit: 'MiB', values: values('usedHeap'), tolerance: memory },
    { name: 'open files', unit: '', values: values('openFiles'), tolerance: counts },
    { name: 'sockets', unit: '', values: values('sockets'), tolerance: counts },
  ]
}

/** Values of a measure, one for each sample. */
export interface Measure {
  readonly name: string
  readonly unit: string
  readonly values: readonly number[]
  /** Growth over the judged time that is still flat: a part of the median, or an absolute number if that is more. */
  readonly tolerance: { readonly part: number; readonly least: number }
}

/** Samples after the warm-up without which growth cannot be told from noise. */
const leastSamples = 10

/** The judgement of a measure. */
export interface Verdict {
  /** Growth from the end of the warm-up to the end, by the slope. */
  readonly growth: number
  readonly median: number
  readonly isFlat: boolean
}

/**
 * Judges a measure by its slope after the warm-up: the median of the slopes between samples half the time apart, which
 * single peaks do not change (Theil and Sen). The first third of the samples is the warm-up. Too few samples and missing
 * ones are not flat.
 */
export function judgeMeasure({ values, tolerance }: Measure): Verdict {
  const judged = values.slice(warmUpOf(values.length))
  const half = Math.floor(judged.length / 2)
  const rises = judged.slice(half).map((value, at) => value - (judged[at] ?? value))
  const growth = (half === 0 ? 0 : median(rises) / half) * Math.max(0, judged.length - 1)
  const usual = median(judged)
  const isKnown = judged.length >= leastSamples && judged.every(Number.isFinite)
  return {
    growth,
    median: usual,
    isFlat: isKnown && growth <= Math.max(usual * tolerance.part, tolerance.least),
  }
}

/** Number of samples in the warm-up. */
export const warmUpOf = (samples: number): number => Math.floor(samples / 3)

function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other)
  return sorted[Math.floor(sorted.length / 2)] ?? 0
}

const width = 800
const height = 120
const margin = 30

/** Draws the measures below each other, as SVG. Each has its own scale, which begins at zero. */
export function plot(measures: readonly Measure[], title: string): string {
  const rows = measures.map(({ name, unit, values }, row) => {
    const top = margin + row * (height + margin)
    const most = Math.max(...values, 1)
    const x = (at: number) => ((at / Math.max(1, values.length - 1)) * width).toFixed(1)
    const warmUp = x(warmUpOf(values.length))
    const points = values.map((value, at) => `${x(at)},${(top + height * (1 - value / most)).toFixed(1)}`)
    return [
      `<text x="0" y="${top - 6}">${name}, 0 to ${Math.round(most)} ${unit}</text>`,
      `<rect x="0" y="${top}" width="${width}" height="${height}" fill="none" stroke="#999"/>`,
      `<line x1="${warmUp}" y1="${top}" x2="${warmUp}" y2="${top + height}" stroke="#999" stroke-dasharray="4"/>`,
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
