import { markupText } from '../../../toolkit/report-formats/index.js'
import type { Latency, LatencySlice, Report } from '../report.js'
import { latencyLines } from '../text/latency-words.js'
import { duration, grouped } from '../text/words.js'

/** Size of the plot of the run, in units of its view box. */
const PLOT = { width: 1000, height: 160 } as const

/** Size of the plot of a method, in units of its view box. */
const ROW = { width: 400, height: 16 } as const

/** Markup of latencies: the run over time, and percentiles by method, as inline SVG. */
export function latencySection({ latency }: Report): string {
  if (latency === undefined || latency.all.requests === 0) return ''
  return [
    '<section aria-labelledby="latency"><h2 id="latency">Latency</h2>',
    ...latencyLines(latency).map(
      (line) => `<p>${markupText(line.replace(/^Latency: /, 'All requests: '))}</p>`,
    ),
    timelineMarkup(latency),
    methodsMarkup(latency),
    '</section>',
  ].join('\n')
}

function timelineMarkup({ timeline, pauses }: Latency): string {
  if (timeline.length === 0) return ''
  const end = Math.max(...timeline.map(({ at, milliseconds }) => at + milliseconds))
  const most = Math.max(...timeline.map(({ max }) => max))
  const x = (time: number) => rounded((time / end) * PLOT.width)
  const bar = (kind: string, { at, milliseconds }: LatencySlice, value: number) => {
    const height = rounded(logShare(value, most) * PLOT.height)
    return `<rect class="${kind}" x="${x(at)}" y="${rounded(PLOT.height - height)}" width="${rounded(Math.max(1, x(milliseconds) - 1))}" height="${height}"/>`
  }
  const slices = timeline.map(
    (slice) =>
      `<g><title>after ${duration(slice.at)}: ${grouped(slice.requests)} requests, median ${duration(slice.p50)}, maximum ${duration(slice.max)}</title>${bar('tail', slice, slice.max)}${bar('median', slice, slice.p50)}</g>`,
  )
  const waits = pauses.map(
    ({ at, milliseconds }) =>
      `<rect class="pause" x="${x(at)}" y="0" width="${rounded(Math.max(2, x(milliseconds)))}" height="${PLOT.height}"><title>pause of ${duration(milliseconds)}</title></rect>`,
  )
  const list = pauses.map(
    ({ at, milliseconds, waiting }) =>
      `<li>${duration(milliseconds)} after ${duration(at)}, ${grouped(waiting)} waiting</li>`,
  )
  const label = `Latencies over ${duration(end)}: median and maximum, up to ${duration(most)}`
  return [
    '<figure class="sheet plot">',
    `<svg viewBox="0 0 ${PLOT.width} ${PLOT.height}" preserveAspectRatio="none" role="img" aria-label="${label}">${gridMarkup(most, PLOT, 'y')}${waits.join('')}${slices.join('')}</svg>`,
    `<figcaption>Median (strong) and maximum (pale) over ${duration(end)}, up to ${duration(most)}. The scale is logarithmic; lines are at ${ticksOf(most).map(duration).join(', ')}.</figcaption>`,
    list.length === 0
      ? ''
      : `<details class="more"><summary>Pauses in which no answer arrived</summary><ul>${list.join('')}</ul></details>`,
    '</figure>',
  ].join('')
}

function methodsMarkup({ methods, limits }: Latency): string {
  if (methods.length === 0) return ''
  const most = Math.max(...methods.map(({ max }) => max))
  const slow = new Set(limits.flatMap(({ method, isExceeded }) => (isExceeded && method ? [method] : [])))
  const width = (value: number) => rounded(logShare(value, most) * ROW.width)
  const rows = [...methods]
    .sort((one, other) => other.p99 - one.p99)
    .map(({ method, requests, p50, p90, p99, max }) => {
      const bar = (kind: string, value: number) =>
        `<rect class="${kind}" y="3" width="${width(value)}" height="${ROW.height - 6}"/>`
      const plot = `<svg viewBox="0 0 ${ROW.width} ${ROW.height}" preserveAspectRatio="none" aria-hidden="true">${gridMarkup(most, ROW, 'x')}${bar('tail', p99)}${bar('most', p90)}${bar('median', p50)}<rect class="maximum" x="${rounded(Math.max(0, width(max) - 2))}" y="1" width="2" height="${ROW.height - 2}"/></svg>`
      const numbers = [p50, p90, p99, max].map((value) => `<td class="number">${duration(value)}</td>`)
      const warning = slow.has(method) ? ' <span class="verdict fail">slower than allowed</span>' : ''
      return `<tr><th scope="row"><code>${markupText(method)}</code>${warning}</th><td class="number">${grouped(requests)}</td>${numbers.join('')}<td class="plot">${plot}</td></tr>`
    })
  const heads = ['requests', 'p50', 'p90', 'p99', 'max'].map(
    (name) => `<th scope="col" class="number">${name}</th>`,
  )
  return [
    '<div class="sheet wide" tabindex="0"><table class="latencies">',
    `<caption>Single calls by method. Bars: p50 (strong), p90, p99 (pale), and a line at the maximum; logarithmic up to ${duration(most)}.</caption>`,
    `<thead><tr><th scope="col">method</th>${heads.join('')}<th scope="col">distribution</th></tr></thead>`,
    `<tbody>${rows.join('')}</tbody></table></div>`,
  ].join('')
}

/** Lines at powers of ten. */
function gridMarkup(
  most: number,
  size: { readonly width: number; readonly height: number },
  axis: 'x' | 'y',
): string {
  return ticksOf(most)
    .map((tick) => {
      const share = logShare(tick, most)
      return axis === 'x'
        ? `<rect class="grid" x="${rounded(share * size.width)}" y="0" width="1" height="${size.height}"/>`
        : `<rect class="grid" x="0" y="${rounded((1 - share) * size.height)}" width="${size.width}" height="1"/>`
    })
    .join('')
}

function ticksOf(most: number): readonly number[] {
  return [1, 10, 100, 1000, 10_000].filter((tick) => tick < most)
}

/** Share of a latency in the largest, on a logarithmic scale that starts with 0 ms. */
function logShare(value: number, most: number): number {
  return most <= 0 ? 0 : Math.log10(1 + value) / Math.log10(1 + most)
}

function rounded(number: number): number {
  return Math.round(number * 10) / 10
}
