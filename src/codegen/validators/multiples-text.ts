/**
 * The check of `multipleOf` as the generated file's own, where compiled schemas ask for it.
 * @param code what was compiled
 */
export function multiplesText(code: string): string {
  return /^ *const func\d+ = isMultipleOf;$/m.test(code) ? text : ''
}

const text = `
/** True where a number is a whole multiple of another, both as the decimals that they are written as. */
function isMultipleOf(value, divisor) {
  if (Number.isSafeInteger(value) && Number.isSafeInteger(divisor)) return value % divisor === 0
  const [one, other] = [decimal(value), decimal(divisor)]
  if (!one || !other) return false
  const exponent = Math.min(one.exponent, other.exponent)
  const scaled = (part) => part.digits * 10n ** BigInt(part.exponent - exponent)
  return scaled(one) % scaled(other) === 0n
}

/** A number as digits and an exponent of ten; undefined for one that is too large to be held. */
function decimal(number) {
  const [, whole, fraction = '', exponent = '0'] = /^(-?\\d+)(?:\\.(\\d+))?(?:e([+-]\\d+))?$/.exec(String(number)) ?? []
  if (whole === undefined) return undefined
  return { digits: BigInt(whole + fraction), exponent: Number(exponent) - fraction.length }
}
`
