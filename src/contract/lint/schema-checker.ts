import { Ajv, type ValidateFunction } from 'ajv'
import { Ajv2019 } from 'ajv/dist/2019.js'
import type { Contract } from '../contract.js'
import { formats } from '../formats.js'
import type { JsonValue } from '../json.js'
import { useExactMultiples } from '../multiple-of.js'
import type { LocatedSchema } from '../schema.js'
import { schemaSet, usesNextDraft } from '../schema-set.js'

/** Says in which places of a value a schema is broken; an empty list means that the value fits. */
export type SchemaChecker = (
  schema: LocatedSchema,
  value: JsonValue,
) => readonly { readonly path: string; readonly message: string }[]

/** A checker of values against the contract's schemas, each compiled once. */
export function createSchemaChecker(contract: Contract): SchemaChecker {
  const compiled = new Map<string, ValidateFunction>()
  const compile = (schema: LocatedSchema): ValidateFunction => {
    const { resource, roots } = schemaSet(contract, [schema])
    const options = {
      strict: false,
      logger: false,
      allErrors: true,
      ownProperties: true,
      formats,
    } as const
    const ajv = usesNextDraft(resource) ? new Ajv2019(options) : new Ajv(options)
    useExactMultiples(ajv)
    ajv.addSchema(resource as Record<string, unknown>, undefined, false, false)
    const validate = ajv.getSchema(roots[0] ?? '')
    if (!validate) throw new TypeError(`${schema.pointer} was not compiled`)
    return validate
  }
  return (schema, value) => {
    const validate = compiled.get(schema.pointer) ?? compile(schema)
    compiled.set(schema.pointer, validate)
    if (validate(value)) return []
    const errors = validate.errors ?? []
    const telling = errors.filter(({ keyword }) => !['anyOf', 'oneOf', 'if', 'allOf'].includes(keyword))
    return (telling.length > 0 ? telling : errors).slice(0, 3).map(({ instancePath, message }) => ({
      path: instancePath,
      message: message ?? 'breaks the schema',
    }))
  }
}
