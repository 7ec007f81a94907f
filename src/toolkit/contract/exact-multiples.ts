import { _, type Ajv, type CodeKeywordDefinition } from 'ajv'

/**
 * Returns true if a number is a multiple of another, compared as decimals. 0.07 is a multiple of 0.01,
 * although the division yields 7.000000000000001 (draft-07 validation, section 6.2.1).
 * @param value the number to test
 * @param divisor the value of `multipleOf`
 */
export function isMultipleOf(value: number, divisor: number): boolean {
  if (Number.isSafeInteger(value) && Number.isSafeInteger(divisor)) return value % divisor === 0
  const [dividend, factor] = [decimal(value), decimal(divisor)]
  if (!dividend || !factor) return false
  const exponent = Math.min(dividend.exponent, factor.exponent)
  const scaled = (part: Decimal) => part.digits * 10n ** BigInt(part.exponent - exponent)
  return scaled(dividend) % scaled(factor) === 0n
}

/** A number as `digits * 10 ** exponent`. */
interface Decimal {
  readonly digits: bigint
  readonly exponent: number
}

/** Returns undefined for infinity: JSON can contain numbers that exceed the range of doubles. */
function decimal(number: number): Decimal | undefined {
  const [, whole, fraction = '', exponent = '0'] =
    /^(-?\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(number)) ?? []
  if (whole === undefined) return undefined
  return { digits: BigInt(whole + fraction), exponent: Number(exponent) - fraction.length }
}

/**
 * Makes an ajv instance check `multipleOf` with {@link isMultipleOf}, because ajv's own division is inexact.
 */
export function useExactMultiples(ajv: Ajv): void {
  const rule = ajv.RULES.all['multipleOf']
  if (typeof rule !== 'object') return
  const definition: CodeKeywordDefinition = {
    ...(rule.definition as CodeKeywordDefinition),
    code: (context) => {
      const check = context.gen.scopeValue('func', { ref: isMultipleOf, code: _`isMultipleOf` })
      context.fail(_`!${check}(${context.data}, ${context.schemaCode})`)
    },
  }
  Object.assign(rule, { definition: { ...rule.definition, ...definition } })
}
