import type { Row } from './run-faults.js'

/** How the rows were measured. */
export interface RunFacts {
  readonly command: string
  readonly date: string
  readonly seed: number
}

const machine = '2 cores, 24 GB'
const end = '<!-- until here -->'

/**
 * Replaces the table between two comments of a guide.
 * @param title name of the table in the first comment
 * @throws TypeError when the comments are missing
 */
export function withTable(
  guide: string,
  title: string,
  rows: readonly (readonly string[])[],
  { command, date, seed }: RunFacts,
): string {
  const begin = `<!-- npm run chaos writes ${title} -->`
  const [before, rest] = guide.split(begin)
  const at = rest?.indexOf(end) ?? -1
  if (before === undefined || rest === undefined || at < 0)
    throw new TypeError(`the guide lacks ${begin} and ${end}`)
  const facts = `Measured on ${date} with \`${command}\` on a machine with ${machine}; seed ${seed}.`
  const lines = rows.map((cells) => `| ${cells.join(' | ')} |`)
  lines.splice(1, 0, `|${' --- |'.repeat(rows[0]?.length ?? 0)}`)
  return `${before}${begin}\n${facts}\n\n${lines.join('\n')}\n${rest.slice(at)}`
}

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

/** Returns the cells of the table of faults, including its heading. */
export const faultTable = (rows: readonly Row[]): readonly (readonly string[])[] => [
  heading,
  ...rows.map((row) => [
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
  ]),
]

/** Formats the rows for a terminal, including broken promises. */
export function terminalRows(rows: readonly Row[]): string {
  return rows
    .flatMap((row) => [
      `${row.broken.length === 0 ? 'kept  ' : 'BROKEN'} ${row.fault}: ${percent(row.failedShare)} of ${row.requests} requests failed`,
      ...Object.entries(row.outcomes).map(([outcome, count]) => `         ${count} × ${outcome}`),
      `         longest wait ${seconds(row.longestMs)}; ${row.billed} billed, ${row.counted} counted, ${row.missingInUsage} missing in usage; ${row.limited.results} results under a limit of ${row.limited.allowed}; recovered after ${row.recoveryMs === undefined ? 'no time' : seconds(row.recoveryMs)}; ${row.restarts} restarts`,
      ...row.broken.map((problem) => `         broken: ${problem}`),
    ])
    .join('\n')
}

const percent = (share: number) => `${(share * 100).toFixed(share > 0 && share < 0.1 ? 2 : 1)} %`
const seconds = (milliseconds: number) =>
  milliseconds < 1_000 ? `${milliseconds} ms` : `${(milliseconds / 1_000).toFixed(1)} s`
