import type { JsonValue } from '../../../toolkit/contract/index.js'

/** A decimal number: `units` divided by ten to the power of `scale`. */
interface Decimal {
  readonly units: bigint
  readonly scale: number
}

/** Largest exponent that is read, as each digit costs memory. */
const largestExponent = 400

/** Reads a number, a hexadecimal quantity, or a text such as `12.50`. Returns undefined for other values. */
export function decimalOf(value: JsonValue | undefined): Decimal | undefined {
  if (typeof value === 'string' && /^0x[0-9a-f]+$/i.test(value)) return { units: BigInt(value), scale: 0 }
  const text = typeof value === 'number' ? String(value) : typeof value === 'string' ? value : ''
  const [, sign = '', whole = '', fraction = '', power = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(text) ?? []
  const exponent = Number(power)
  if (whole === '' || Math.abs(exponent) > largestExponent || text.length > largestExponent) return undefined
  const units = BigInt(sign + whole + fraction)
  const scale = fraction.length - exponent
  return scale < 0 ? { units: units * 10n ** BigInt(-scale), scale: 0 } : { units, scale }
}

/** Adds numbers exactly. */
export function sumOf(values: readonly Decimal[]): Decimal {
  return values.reduce(
    (one, other) => {
      const scale = Math.max(one.scale, other.scale)
      return { units: scaled(one, scale) + scaled(other, scale), scale }
    },
    { units: 0n, scale: 0 },
  )
}

/**
 * Returns true if two numbers are equal.
 * @param isBinary true if one of them was computed in binary floating point, which rounds decimal fractions
 */
export function isEqual(one: Decimal, other: Decimal, isBinary: boolean): boolean {
  const scale = Math.max(one.scale, other.scale)
  const [first, second] = [scaled(one, scale), scaled(other, scale)]
  if (first === second) return true
  const difference = first > second ? first - second : second - first
  const size = first < 0n ? -first : first
  return isBinary && difference * roundingPart <= size
}

/** Sums of binary fractions differ by less than this part. */
const roundingPart = 1_000_000_000_000n

/** Compares two numbers: negative, 0 or positive. */
export function compareDecimals(one: Decimal, other: Decimal): number {
  const scale = Math.max(one.scale, other.scale)
  const difference = scaled(one, scale) - scaled(other, scale)
  return difference < 0n ? -1 : Number(difference > 0n)
}

/** Writes a number as JSON does. */
export function decimalText({ units, scale }: Decimal): string {
  const digits = String(units < 0n ? -units : units).padStart(scale + 1, '0')
  const fraction = digits.slice(digits.length - scale).replace(/0+$/, '')
  const whole = digits.slice(0, digits.length - scale)
  return `${units < 0n ? '-' : ''}${whole}${scale > 0 && fraction !== '' ? `.${fraction}` : ''}`
}

function scaled({ units, scale }: Decimal, to: number): bigint {
  return units * 10n ** BigInt(to - scale)
}
