import { _, type Ajv, type CodeKeywordDefinition } from 'ajv'

/**
 * True where a number is a whole multiple of another, both taken as the decimals that they are written as: 0.07 is
 * seven times 0.01, although the quotient of the two is 7.000000000000001 (draft-07 validation, section 6.2.1).
 */
export function isMultipleOf(value: number, divisor: number): boolean {
  if (Number.isSafeInteger(value) && Number.isSafeInteger(divisor)) return value % divisor === 0
  const [one, other] = [decimal(value), decimal(divisor)]
  if (!one || !other) return false
  const exponent = Math.min(one.exponent, other.exponent)
  const scaled = (part: Decimal) => part.digits * 10n ** BigInt(part.exponent - exponent)
  return scaled(one) % scaled(other) === 0n
}

/** A number as `digits * 10 ** exponent`. */
interface Decimal {
  readonly digits: bigint
  readonly exponent: number
}

/** Undefined for what is infinite: a number that JSON can write, and no program hold. */
function decimal(number: number): Decimal | undefined {
  const [, whole, fraction = '', exponent = '0'] =
    /^(-?\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(number)) ?? []
  if (whole === undefined) return undefined
  return { digits: BigInt(whole + fraction), exponent: Number(exponent) - fraction.length }
}

/** Makes an ajv instance decide `multipleOf` by {@link isMultipleOf}; its own way divides, and errs. */
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
