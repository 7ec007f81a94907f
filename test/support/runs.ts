/**
 * How often a property is tried: a quarter of the whole number in the short form, all with `FC_RUNS=all`.
 * @param whole the number of `npm run test:long`
 */
export function runs(whole: number): number {
  return process.env['FC_RUNS'] === 'all' ? whole : Math.ceil(whole / 4)
}
