import { tableLines } from '../../../toolkit/report-formats/index.js'
import { duration, groupBy, numbered } from '../../report/index.js'
import type { ComposedOutcome, ComposedReport } from './run-composed.js'

const words = { caught: 'caught   ', missed: 'MISSED   ', 'never-exercised': 'unreached' } as const

/** Describes the outcome of a composed fault. A missed one gets a second line with its behaviour. */
export function composedOutcomeLine({
  name,
  rule,
  description,
  verdict,
  by,
  changes,
}: ComposedOutcome): string {
  const start = `  ${words[verdict]} ${name}`
  if (verdict === 'caught') return `${start}  by ${by}`
  if (verdict === 'never-exercised') return `${start}  (rule ${rule})`
  return `${start}  (rule ${rule}), in ${numbered(changes, 'exchange')}\n            ${description}`
}

/** Group of a rule: its id before the first dot, such as `logs`. */
export function ruleGroup(rule: string): string {
  return rule.split('.')[0] ?? rule
}

/** Summary lines of a selftest with composed faults, with a row for each condition and each group of rules. */
export function composedLines({ faults, broken, milliseconds }: ComposedReport): string[] {
  const rowOf = (name: string, some: readonly ComposedOutcome[]) => {
    const count = (wanted: ComposedOutcome['verdict']) =>
      some.filter(({ verdict }) => verdict === wanted).length
    const [caught, missed, never] = [count('caught'), count('missed'), count('never-exercised')]
    return [
      name,
      ...[some.length, caught, missed, never].map(String),
      percent(caught, caught + missed),
      percent(never, some.length),
    ]
  }
  const columns = ['faults', 'caught', 'missed', 'never exercised', 'caught of exercised', 'never exercised']
  const rowsBy = (partOf: (outcome: ComposedOutcome) => string) =>
    [...groupBy(faults, partOf)]
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, some]) => rowOf(name, some))
  const rows = [
    ['condition', ...columns],
    ...rowsBy(({ condition }) => condition),
    [],
    ['rules', ...columns],
    ...rowsBy(({ rule }) => ruleGroup(rule)),
    rowOf('all', faults),
  ]
  return [
    ...broken.flatMap(({ id, reason }) => [
      `  BROKEN    ${id}: fails without a fault`,
      `            ${reason}`,
    ]),
    '',
    ...tableLines(rows, { indent: 2, right: columns.map((_, at) => at + 1) }),
    '',
    `  ${numbered(faults.length, 'composed fault')}; ${duration(milliseconds)}`,
  ]
}

function percent(part: number, whole: number): string {
  return whole === 0 ? '–' : `${((part * 100) / whole).toFixed(1)} %`
}
