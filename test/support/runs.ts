import t, { type Test } from 'tap'

/** True in `npm run test:long`, which sets `TEST_LENGTH=long`: what `npm test` tries in part is tried as a whole. */
export const isLong = process.env['TEST_LENGTH'] === 'long'

/**
 * How often a property is tried: a quarter of the whole number in the short form.
 * @param whole the number of the long form
 */
export function runs(whole: number): number {
  return isLong ? whole : Math.ceil(whole / 4)
}

/**
 * What is tried of documents that are many and much alike: all in the long form, in the short one every nth.
 * @param n 2 for every second one
 */
export function everyNth<Value>(n: number, all: readonly Value[]): readonly Value[] {
  return isLong ? all : all.filter((_, at) => at % n === 0)
}

/**
 * A test that the long form alone runs, and the short one tells of: what it goes through is tried elsewhere in parts.
 * @param name what happens, in a sentence
 */
export function longTest(name: string, run: (t: Test) => unknown): void {
  if (isLong) void t.test(name, run)
  else t.comment(`in the long form: ${name}`)
}

/**
 * What is tried of a table: all rows in the long form; in the short one none for which another stands.
 * @param standIns names of rows, and of the row that tries the same way of going wrong in less time
 * @throws TypeError for a name that the table lacks
 */
export function chosen<Value>(
  table: Readonly<Record<string, Value>>,
  standIns: Readonly<Record<string, string>>,
): readonly (readonly [name: string, value: Value])[] {
  const missing = Object.entries(standIns)
    .flat()
    .filter((name) => !(name in table))
  if (missing.length > 0) throw new TypeError(`no row is called ${missing.join(', ')}`)
  const rows = Object.entries(table)
  if (isLong) return rows
  t.comment(`in the long form: ${Object.keys(standIns).join(', ')}`)
  return rows.filter(([name]) => !(name in standIns))
}
