import t, { type Test } from 'tap'
import { isLong } from './test-length.js'

export { isLong }

/**
 * Number of runs of a property: a quarter in the short form.
 * @param whole number of runs in the long form
 */
export function runs(whole: number): number {
  return isLong ? whole : Math.ceil(whole / 4)
}

/**
 * Samples a long list of similar inputs: all of them in the long form, every nth in the short form.
 * @param n 2 for every second one
 */
export function everyNth<Value>(n: number, all: readonly Value[]): readonly Value[] {
  return isLong ? all : all.filter((_, at) => at % n === 0)
}

/**
 * A test that only the long form runs; the short form reports it. Other tests cover its parts.
 * @param name what happens, in a sentence
 */
export function longTest(name: string, run: (t: Test) => unknown): void {
  if (isLong) void t.test(name, run)
  else t.comment(`long form only: ${name}`)
}

/**
 * Selects rows of a table. The long form keeps all rows; the short form drops rows that a faster row represents.
 * @param standIns names of rows, with the faster row that fails in the same way
 * @throws TypeError for a name that the table lacks
 */
export function chosen<Value>(
  table: Readonly<Record<string, Value>>,
  standIns: Readonly<Record<string, string>>,
): readonly (readonly [name: string, value: Value])[] {
  const missing = Object.entries(standIns)
    .flat()
    .filter((name) => !(name in table))
  if (missing.length > 0) throw new TypeError(`unknown rows: ${missing.join(', ')}`)
  const rows = Object.entries(table)
  if (isLong) return rows
  t.comment(`long form only: ${Object.keys(standIns).join(', ')}`)
  return rows.filter(([name]) => !(name in standIns))
}
