import type { LatencyNumbers, Report } from '../../run/result/report.js'
import { markupText } from '../markup-text.js'
import { latencyLines } from '../text/latency-words.js'

const measures = ['requests', 'p50', 'p90', 'p99', 'max'] as const

/** Markup of the latencies in milliseconds: a summary, and a table by method. */
export function latencySection({ latency }: Report): string {
  if (latency === undefined || latency.all.requests === 0) return ''
  const row = (name: string, numbers: LatencyNumbers) =>
    `<tr><th scope="row">${markupText(name)}</th>${measures.map((one) => `<td>${numbers[one]}</td>`).join('')}</tr>`
  const head = ['milliseconds', ...measures].map((name) => `<th scope="col">${name}</th>`).join('')
  return [
    '<section aria-labelledby="latency"><h2 id="latency">Latency</h2>',
    ...latencyLines(latency).map((line) => `<p>${markupText(line)}</p>`),
    `<table><thead><tr>${head}</tr></thead><tbody>`,
    row('all requests', latency.all),
    ...latency.methods.map((method) => row(method.method, method)),
    '</tbody></table>',
    '</section>',
  ].join('\n')
}
