import type { Test } from 'tap'
import { judge } from './authored-contract.js'

/** Valid and invalid values of a component schema, by description. */
export interface Table {
  accepts: { [what: string]: unknown }
  refuses: { [what: string]: unknown }
}

/** Validates every value of a table against a component schema of the contract. */
export function judgeTable(t: Test, component: string, table: Table): void {
  for (const [what, value] of Object.entries(table.accepts)) {
    const { valid, why } = judge(component, value)
    t.ok(valid, `${component} accepts ${what}${why && `: ${why}`}`)
  }
  for (const [what, value] of Object.entries(table.refuses)) {
    t.notOk(judge(component, value).valid, `${component} refuses ${what}`)
  }
}
