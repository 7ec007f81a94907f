import type { FaultOutcome, SelftestReport } from './selftest-report.js'

/** What a person is told of a fault: one line, and one more that says what was wrong or why nobody noticed. */
export function outcomeLines({ name, rule, description, verdict, killers, reason }: FaultOutcome): string[] {
  const [first, ...more] = killers
  if (verdict === 'survived' || first === undefined) {
    return [`  SURVIVED  ${name}  (rule ${rule})`, `            ${description}`, `            ${reason}`]
  }
  const others = more.length === 0 ? '' : ` and ${more.length} more`
  return [`  killed    ${name}  by ${first.id}${others}`]
}

/** The end of what a person is told. */
export function summaryLines({ faults, broken, idle, milliseconds }: SelftestReport): string[] {
  const survived = faults.filter(({ verdict }) => verdict === 'survived').length
  const seconds = Math.round(milliseconds / 1000)
  return [
    ...broken.flatMap(({ id, verdict, reason }) => [
      `  BROKEN    ${id}: ${verdict} without any fault, so that it proves nothing`,
      `            ${reason}`,
    ]),
    ...idle.map((id) => `  IDLE      ${id}: no fault of its rules makes it fail`),
    '',
    `  ${faults.length} faults: ${faults.length - survived} killed, ${survived} survived; ${seconds} s`,
  ]
}
