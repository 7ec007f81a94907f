import type { Test } from 'tap'
import { judge } from './authored-contract.js'

/** What a component schema must accept and refuse: values by what they are. */
export interface Table {
  accepts: { [what: string]: unknown }
  refuses: { [what: string]: unknown }
}

/** Tries every value of a table on a component schema of the contract. */
export function judgeTable(t: Test, component: string, table: Table): void {
  for (const [what, value] of Object.entries(table.accepts)) {
    const { valid, why } = judge(component, value)
    t.ok(valid, `${component} accepts ${what}${why && `: ${why}`}`)
  }
  for (const [what, value] of Object.entries(table.refuses)) {
    t.notOk(judge(component, value).valid, `${component} refuses ${what}`)
  }
}
