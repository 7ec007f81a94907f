/** True in `npm run test:long`, which sets `TEST_LENGTH=long`: what `npm test` tries in part is tried as a whole. */
export const isLong = process.env['TEST_LENGTH'] === 'long'

/**
 * How often a property is tried: a quarter of the whole number in the short form.
 * @param whole the number of the long form
 */
export function runs(whole: number): number {
  return isLong ? whole : Math.ceil(whole / 4)
}
