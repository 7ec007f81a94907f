import type { Row } from './run-faults.js'

const heading = [
  'fault',
  'requests',
  'failed',
  'what failed requests got',
  'longest wait',
  'charged without an answer',
  'missing in usage',
  'recovery',
]

/** The rows as a Markdown table. */
export function markdownTable(rows: readonly Row[]): string {
  const lines = rows.map((row) => [
    row.about,
    `${row.requests}`,
    percent(row.failedShare),
    Object.entries(row.outcomes)
      .filter(([outcome]) => outcome !== 'answered')
      .map(([outcome, count]) => `${count} × ${outcome}`)
      .join('; ') || '–',
    seconds(row.longestMs),
    `${row.counted - row.billed}`,
    `${Math.max(0, row.missingInUsage)}`,
    row.recoveryMs === undefined ? 'none' : seconds(row.recoveryMs),
  ])
  return [heading, heading.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

/** The rows for a terminal, each with its broken promises. */
export function terminalRows(rows: readonly Row[]): string {
  return rows
    .flatMap((row) => [
      `${row.broken.length === 0 ? 'kept  ' : 'BROKEN'} ${row.fault}: ${percent(row.failedShare)} of ${row.requests} requests failed`,
      ...Object.entries(row.outcomes).map(([outcome, count]) => `         ${count} × ${outcome}`),
      `         longest wait ${seconds(row.longestMs)}; ${row.billed} billed, ${row.counted} counted, ${row.missingInUsage} missing in usage; recovered after ${row.recoveryMs === undefined ? 'no time' : seconds(row.recoveryMs)}; ${row.restarts} restarts`,
      ...row.broken.map((problem) => `         broken: ${problem}`),
    ])
    .join('\n')
}

const percent = (share: number) => `${(share * 100).toFixed(share > 0 && share < 0.1 ? 2 : 1)} %`
const seconds = (milliseconds: number) =>
  milliseconds < 1_000 ? `${milliseconds} ms` : `${(milliseconds / 1_000).toFixed(1)} s`
