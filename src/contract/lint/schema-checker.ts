import { _, Ajv, type CodeKeywordDefinition, type ErrorObject, type ValidateFunction } from 'ajv'
import { Ajv2019 } from 'ajv/dist/2019.js'
import { ContractError, contractError } from '../contract-error.js'
import { compilePattern, formats } from '../formats.js'
import type { JsonValue } from '../json.js'
import { typeWords } from '../load/meta-problems.js'
import type { Contract } from '../model/contract.js'
import type { LocatedSchema } from '../model/schema.js'
import { schemaSet, usesNextDraft } from '../model/schema-set.js'

/** Lists the violations of a schema by a value. An empty list means that the value is valid. */
export type SchemaChecker = (
  schema: LocatedSchema,
  value: JsonValue,
) => readonly { readonly path: string; readonly message: string }[]

/** Maximum number of violations that are reported for a value. */
const mostFaults = 3

/** Maximum number of enum values in a message. */
const mostValues = 8

/**
 * Creates a checker for values against the contract's schemas. Each schema is compiled once.
 * @param contract the contract that resolves references
 * @returns a checker that throws a ContractError for a schema that cannot be compiled
 */
export function createSchemaChecker(contract: Contract): SchemaChecker {
  const compiled = new Map<string, ValidateFunction>()
  const compile = createCompiler(contract)
  return (schema, value) => {
    const validate = compiled.get(schema.pointer) ?? compile(schema)
    compiled.set(schema.pointer, validate)
    if (validate(value)) return []
    const errors = validate.errors ?? []
    const telling = errors.filter(
      (error) => !compositions.has(error.keyword) && !isOtherThanNull(error, errors),
    )
    return (telling.length > 0 ? telling : errors).slice(0, mostFaults).map((error) => ({
      path: error.instancePath,
      message: faultWords(error),
    }))
  }
}

/**
 * Creates a compiler. Schemas of parameters, results and error data share one ajv instance, so that shared
 * targets are compiled once. Any other schema gets its own instance.
 */
function createCompiler(contract: Contract): (schema: LocatedSchema) => ValidateFunction {
  const { methods, errors } = contract
  const shared = [
    ...methods.flatMap(({ params, result }) => [...params, ...(result ? [result] : [])].map((d) => d.schema)),
    ...errors.flatMap(({ data }) => data ?? []),
  ]
  const isShared = new Set(shared.map(({ pointer }) => pointer))
  let compileShared: ReturnType<typeof compilerOf> | undefined
  return (schema) => {
    try {
      if (isShared.has(schema.pointer)) {
        compileShared ??= compilerOf(contract, shared)
        return compileShared(schema)
      }
    } catch {
      // Another shared schema may be broken. Compile this one alone.
    }
    try {
      return compilerOf(contract, [schema])(schema)
    } catch (cause) {
      if (cause instanceof ContractError) throw cause
      const reason = cause instanceof Error ? cause.message : String(cause)
      throw contractError(schema.pointer, `cannot be compiled: ${reason}`, { cause })
    }
  }
}

function compilerOf(
  contract: Contract,
  schemas: readonly LocatedSchema[],
): (schema: LocatedSchema) => ValidateFunction {
  const { resource, roots } = schemaSet(contract, schemas)
  const references = new Map(schemas.map(({ pointer }, at) => [pointer, roots[at] ?? '']))
  const options = {
    strict: false,
    logger: false,
    allErrors: true,
    ownProperties: true,
    formats,
    code: { regExp: Object.assign(compilePattern, { code: 'compilePattern' }) },
  } as const
  const ajv = usesNextDraft(resource) ? new Ajv2019(options) : new Ajv(options)
  useExactMultiples(ajv)
  ajv.addSchema(resource as Record<string, unknown>, undefined, false, false)
  return ({ pointer }) => {
    const validate = ajv.getSchema(references.get(pointer) ?? '')
    if (!validate) throw new TypeError(`${pointer} was not compiled`)
    return validate
  }
}

const compositions: ReadonlySet<string> = new Set(['anyOf', 'oneOf', 'if', 'allOf'])

/** True for the error of a null alternative. The author meant another alternative. */
function isOtherThanNull({ keyword, params }: ErrorObject, all: readonly ErrorObject[]): boolean {
  return (
    keyword === 'type' && params['type'] === 'null' && all.some((error) => error.params['type'] !== 'null')
  )
}

/** Describes a violated keyword with the names and values involved. */
function faultWords({ keyword, params, message = 'violates the schema' }: ErrorObject): string {
  if (keyword === 'type') return `must be ${typeWords(params['type'])}`
  if (keyword === 'required') return `lacks the required member "${params['missingProperty']}"`
  const surplus = params['additionalProperty'] ?? params['unevaluatedProperty']
  if (surplus !== undefined) return `has the member "${surplus}", which the schema does not allow`
  if (keyword === 'const') return `must be ${JSON.stringify(params['allowedValue'])}`
  if (keyword === 'pattern') return `does not match the pattern ${params['pattern']}`
  if (keyword !== 'enum') return message.replace('must NOT', 'must not')
  const values: readonly JsonValue[] = params['allowedValues']
  const shown = values.slice(0, mostValues).map((value) => JSON.stringify(value))
  return `must be ${shown.length > 1 ? 'one of ' : ''}${shown.join(', ')}${values.length > mostValues ? ', …' : ''}`
}

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
