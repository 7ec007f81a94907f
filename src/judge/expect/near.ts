import { type Amount, amountOf, type JsonValue } from '../../toolkit/contract/index.js'

/**
 * Returns true if two numbers, or two hexadecimal quantities, differ at most by a tolerance.
 * @param expected the number or quantity that a percentage refers to
 * @param within a number, a hexadecimal quantity, or a percentage such as `10%` or `0.5%`
 * @returns undefined if `expected` or `within` has another form
 */
export function isNear(expected: JsonValue, actual: JsonValue, within: JsonValue): boolean | undefined {
  const value = amountOf(expected)
  const most = differenceOf(value, within)
  if (value === undefined || most === undefined) return undefined
  const amount = amountOf(actual)
  if (typeof amount === 'number' && typeof value === 'number') return Math.abs(amount - value) <= most
  if (typeof amount === 'bigint' && typeof value === 'bigint') {
    return (amount > value ? amount - value : value - amount) <= most
  }
  return false
}

/** Returns the greatest difference that a tolerance allows. */
function differenceOf(value: Amount | undefined, within: JsonValue): Amount | undefined {
  const [, whole, fraction = ''] = (typeof within === 'string' && /^(\d+)(?:\.(\d+))?%$/.exec(within)) || []
  if (whole === undefined || value === undefined) return amountOf(within)
  if (typeof value === 'number') return (Math.abs(value) * Number(`${whole}.${fraction}`)) / 100
  return (value * BigInt(whole + fraction)) / 10n ** BigInt(fraction.length + 2)
}
