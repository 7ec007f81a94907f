import type { ValidateFunction } from 'ajv'
import { ContractError, contractError } from '../contract-error.js'
import { createAjv } from '../create-ajv.js'
import { compilePattern, formats } from '../formats.js'
import type { Contract } from './contract.js'
import type { LocatedSchema } from './schema.js'
import { schemaSet, usesUnevaluated } from './schema-set.js'

/**
 * Creates a compiler that keeps what it compiled. Schemas of parameters, results and error data share one ajv instance,
 * so that shared targets are compiled once. Any other schema gets its own instance.
 * @param contract the contract that resolves references
 * @param options whether validators collect all errors, or stop at the first one
 * @returns a function that throws a ContractError for a schema that cannot be compiled
 */
export function createSchemaCompiler(
  contract: Contract,
  { allErrors }: { readonly allErrors: boolean },
): (schema: LocatedSchema) => ValidateFunction {
  const { methods, errors } = contract
  const shared = [
    ...methods.flatMap(({ params, result }) => [...params, ...(result ? [result] : [])].map((d) => d.schema)),
    ...errors.flatMap(({ data }) => data ?? []),
  ]
  const isShared = new Set(shared.map(({ pointer }) => pointer))
  const compiled = new Map<string, ValidateFunction>()
  let compileShared: ReturnType<typeof compilerOf> | undefined
  const compile = (schema: LocatedSchema) => {
    try {
      if (isShared.has(schema.pointer)) {
        compileShared ??= compilerOf(contract, shared, allErrors)
        return compileShared(schema)
      }
    } catch {
      // Another shared schema may be broken. Compile this one alone.
    }
    try {
      return compilerOf(contract, [schema], allErrors)(schema)
    } catch (cause) {
      if (cause instanceof ContractError) throw cause
      throw contractError(schema.pointer, compilationRefusal(cause), { cause })
    }
  }
  return (schema) => {
    const validate = compiled.get(schema.pointer) ?? compile(schema)
    compiled.set(schema.pointer, validate)
    return validate
  }
}

function compilerOf(
  contract: Contract,
  schemas: readonly LocatedSchema[],
  allErrors: boolean,
): (schema: LocatedSchema) => ValidateFunction {
  const { resource, roots } = schemaSet(contract, schemas)
  const references = new Map(schemas.map(({ pointer }, at) => [pointer, roots[at] ?? '']))
  const options = {
    strict: false,
    logger: false,
    allErrors,
    ownProperties: true,
    formats,
    code: { regExp: Object.assign(compilePattern, { code: 'compilePattern' }) },
  } as const
  const ajv = createAjv(options, usesUnevaluated(resource))
  ajv.addSchema(resource as Record<string, unknown>, undefined, false, false)
  return ({ pointer }) => {
    const validate = ajv.getSchema(references.get(pointer) ?? '')
    if (!validate) throw new TypeError(`${pointer} was not compiled`)
    return validate
  }
}

/** Says in words of the contract why ajv cannot compile a schema. */
export function compilationRefusal(cause: unknown): string {
  return cause instanceof RangeError
    ? 'is nested too deeply for a validator: move inner schemas to components'
    : 'combines keywords that a validator cannot check: write it with fewer or simpler keywords'
}
