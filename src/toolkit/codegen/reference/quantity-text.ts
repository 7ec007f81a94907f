/** A number with its unit, such as a limit of the contract. */
export interface Quantity {
  readonly value: number
  readonly unit: string
}

/** Binary units, for sizes that are whole multiples of them (IEC 80000-13). */
const byteUnits = [
  { bytes: 2 ** 20, name: 'MiB' },
  { bytes: 2 ** 10, name: 'KiB' },
] as const

/** Writes a quantity, such as `2,000 blocks`, `1 second` or `16 MiB`. */
export function quantityText({ value, unit }: Quantity): string {
  const size = unit === 'bytes' ? byteUnits.find(({ bytes }) => value % bytes === 0 && value > 0) : undefined
  if (size !== undefined) return `${grouped(value / size.bytes)} ${size.name}`
  return `${grouped(value)} ${value === 1 ? unit.replace(/s\b/, '') : unit}`.trim()
}

/** Writes a number with commas between groups of three digits. */
export function grouped(value: number): string {
  return value.toLocaleString('en-US', { maximumFractionDigits: 20 })
}
