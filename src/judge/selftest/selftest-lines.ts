import { duration, numbered } from '../report/index.js'
import type { FaultOutcome, SelftestReport } from './selftest-report.js'

/**
 * Describes the outcome of a fault. A surviving fault gets two more lines with its behaviour and the reason.
 */
export function outcomeLines(outcome: FaultOutcome): string[] {
  const { name, rule, description, verdict, killers, collateral, reason } = outcome
  const [first, ...more] = killers
  if (verdict === 'survived' || first === undefined) {
    return [`  SURVIVED  ${name}  (rule ${rule})`, `            ${description}`, `            ${reason}`]
  }
  const others = more.length === 0 ? '' : ` and ${more.length} more`
  const beside =
    collateral.length === 0 ? '' : `; also fails ${numbered(collateral.length, 'case')} of other rules`
  return [`  killed    ${name}  by ${first.id}${others}${beside}`]
}

/** Summary lines of a selftest. */
export function summaryLines({ faults, broken, idle, milliseconds }: SelftestReport): string[] {
  const survived = faults.filter(({ verdict }) => verdict === 'survived').length
  const killed = faults.length - survived
  return [
    ...broken.flatMap(({ id, verdict, reason }) => [
      `  BROKEN    ${id}: ${verdict} without a fault, so it proves nothing`,
      `            ${reason}`,
    ]),
    ...idle.map((id) => `  IDLE      ${id}: no fault of its rules makes it fail`),
    '',
    `  ${numbered(faults.length, 'fault')}: ${killed} killed, ${survived} survived; ${duration(milliseconds)}`,
  ]
}

/** Marks in the cells of the matrix. */
const MARKS = { killer: '#', collateral: '+', passed: '.', notRun: ' ' } as const

/**
 * Renders the matrix of faults (rows) and cases (columns, by group). `#` marks a failed case that claims the
 * rule, `+` another failed case, and `.` a passed case.
 * @param cases ids of the cases, in the order of the columns
 */
export function matrixLines({ faults }: SelftestReport, cases: readonly string[]): string[] {
  const ran = new Set(faults.flatMap((fault) => [...marksOf(fault).keys()]))
  const columns = cases.filter((id) => ran.has(id))
  const groups = grouped(columns)
  const width = Math.max(0, ...faults.map(({ name }) => name.length))
  return [
    '',
    `  Columns, from left to right (${MARKS.killer} claims the rule and fails, ${MARKS.collateral} fails too, ${MARKS.passed} passes):`,
    ...groups.map(
      (ids) => `    ${groupOf(ids[0] ?? '')}: ${ids.map((id) => id.slice(groupOf(id).length + 1)).join(' ')}`,
    ),
    '',
    ...faults.map((fault) => {
      const marks = marksOf(fault)
      const cells = groups.map((ids) => ids.map((id) => marks.get(id) ?? MARKS.notRun).join(''))
      return `  ${fault.name.padEnd(width)}  ${cells.join('|')}`
    }),
  ]
}

function marksOf({ killers, passed, collateral, unaffected }: FaultOutcome): ReadonlyMap<string, string> {
  return new Map([
    ...unaffected.map((id) => [id, MARKS.passed] as const),
    ...passed.map((id) => [id, MARKS.passed] as const),
    ...collateral.map(({ id }) => [id, MARKS.collateral] as const),
    ...killers.map(({ id }) => [id, MARKS.killer] as const),
  ])
}

function groupOf(id: string): string {
  return id.slice(0, id.lastIndexOf('/'))
}

function grouped(ids: readonly string[]): readonly (readonly string[])[] {
  const groups = new Map<string, string[]>()
  for (const id of ids) groups.set(groupOf(id), [...(groups.get(groupOf(id)) ?? []), id])
  return [...groups.values()]
}
