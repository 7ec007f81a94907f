import type { ErrorObject } from 'ajv'
import type { JsonValue } from '../json.js'
import { typeWords } from '../load/meta-problems.js'
import type { Contract } from '../model/contract.js'
import type { LocatedSchema } from '../model/schema.js'
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
    // The author of a value that is not null meant another alternative than null.
    const meansNull = errors.every((error) => error.params['type'] === 'null')
    const telling = errors.filter(
      ({ keyword, params }) =>
        !compositions.has(keyword) && (meansNull || keyword !== 'type' || params['type'] !== 'null'),
    )
    return (telling.length > 0 ? telling : errors).slice(0, mostFaults).map((error) => ({
      path: error.instancePath,
      message: faultWords(error),
    }))
  }
}

const compositions: ReadonlySet<string> = new Set(['anyOf', 'oneOf', 'if', 'allOf'])

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
