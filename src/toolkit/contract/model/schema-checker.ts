import type { ErrorObject } from 'ajv'
import type { JsonValue } from '../json.js'
import { typeWords } from '../load/meta-problems.js'
import type { Contract } from './contract.js'
import type { LocatedSchema } from './schema.js'
import { schemaCompiler } from './schema-compiler.js'

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
 * Creates a checker for values against the contract's schemas. Each schema is compiled once, and once more to list all
 * violations when a value has some.
 * @param contract the contract that resolves references
 * @returns a checker that throws a ContractError for a schema that cannot be compiled
 */
export function createSchemaChecker(contract: Contract): SchemaChecker {
  const compileFirst = schemaCompiler(contract, { allErrors: false })
  const compileAll = schemaCompiler(contract, { allErrors: true })
  return (schema, value) => {
    if (compileFirst(schema)(value)) return []
    const validate = compileAll(schema)
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
