/**
 * Returns the `multipleOf` validator if compiled schemas use it.
 * @param code compiled code
 */
export function multiplesText(code: string): string {
  return /\bisMultipleOf\(/.test(code) ? text : ''
}

const text = `
/** Returns true if a number is an integer multiple of another, comparing their decimal notations. */
function isMultipleOf(value, divisor) {
  if (Number.isSafeInteger(value) && Number.isSafeInteger(divisor)) return value % divisor === 0
  const [one, other] = [decimal(value), decimal(divisor)]
  if (!one || !other) return false
  const exponent = Math.min(one.exponent, other.exponent)
  const scaled = (part) => part.digits * 10n ** BigInt(part.exponent - exponent)
  return scaled(one) % scaled(other) === 0n
}

/** Returns digits and a power of ten, or undefined for numbers above the range of doubles. */
function decimal(number) {
  const [, whole, fraction = '', exponent = '0'] = /^(-?\\d+)(?:\\.(\\d+))?(?:e([+-]\\d+))?$/.exec(String(number)) ?? []
  if (whole === undefined) return undefined
  return { digits: BigInt(whole + fraction), exponent: Number(exponent) - fraction.length }
}
`
