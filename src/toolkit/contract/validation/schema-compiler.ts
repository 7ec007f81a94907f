import type { ValidateFunction } from 'ajv'
import { ContractError, contractError } from '../contract-error.js'
import { createAjv } from '../create-ajv.js'
import { formats } from '../formats.js'
import { isObject } from '../json.js'
import { PatternError } from '../linear-matcher.js'
import type { Contract } from '../model/contract.js'
import type { LocatedSchema } from '../model/schema.js'
import { compilePattern } from '../patterns.js'
import { schemaSet, usesUnevaluated } from './schema-set.js'

/** Compiles a schema. */
type SchemaCompiler = (schema: LocatedSchema) => ValidateFunction

const compilers = {
  first: new WeakMap<Contract, SchemaCompiler>(),
  all: new WeakMap<Contract, SchemaCompiler>(),
}

/**
 * Returns the compiler of a contract, which keeps what it compiled. Schemas of parameters, results and error data, and
 * those inside them, share one ajv instance, so that shared targets are compiled once. Any other schema gets its own
 * instance.
 * @param contract the contract that resolves references
 * @param options whether validators collect all errors, or stop at the first one
 * @returns a function that throws a ContractError for a schema that cannot be compiled
 */
export function schemaCompiler(
  contract: Contract,
  { allErrors }: { readonly allErrors: boolean },
): SchemaCompiler {
  const known = allErrors ? compilers.all : compilers.first
  const compiler = known.get(contract) ?? createSchemaCompiler(contract, allErrors)
  known.set(contract, compiler)
  return compiler
}

function createSchemaCompiler(contract: Contract, allErrors: boolean): SchemaCompiler {
  const { methods, errors } = contract
  const shared = [
    ...methods.flatMap(({ params, result }) => [...params, ...(result ? [result] : [])].map((d) => d.schema)),
    ...errors.flatMap(({ data }) => data ?? []),
  ]
  const compiled = new Map<string, ValidateFunction>()
  let compileShared: ReturnType<typeof compilerOf> | undefined
  const compile = (schema: LocatedSchema) => {
    try {
      compileShared ??= compilerOf(contract, shared, allErrors)
      const validate = compileShared(schema)
      if (validate) return validate
    } catch {
      // Another shared schema may be broken. Compile this one alone.
    }
    try {
      const validate = compilerOf(contract, [schema], allErrors)(schema)
      if (validate) return validate
      throw new TypeError(`${schema.pointer} was not compiled`)
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
): (schema: LocatedSchema) => ValidateFunction | undefined {
  const { resource, roots, copyOf } = schemaSet(contract, schemas)
  const references = new Map(schemas.map(({ pointer }, at) => [pointer, roots[at] ?? '']))
  const options = {
    strict: false,
    logger: false,
    allErrors,
    ownProperties: true,
    formats,
    // Most validators see few values, and optimizing takes a third of the time to compile.
    code: { regExp: Object.assign(compilePattern, { code: 'compilePattern' }), optimize: false },
  } as const
  const ajv = createAjv(options, usesUnevaluated(resource))
  ajv.addSchema(resource as Record<string, unknown>, undefined, false, false)
  return (located) => {
    const known = references.get(located.pointer)
    if (known !== undefined) return ajv.getSchema(known)
    const schema = copyOf(located)
    if (!isObject(schema)) return undefined
    const key = `inner${references.size}`
    references.set(located.pointer, key)
    ajv.addSchema(schema as Record<string, unknown>, key, false, false)
    return ajv.getSchema(key)
  }
}

/** Says in words of the contract why ajv cannot compile a schema. */
export function compilationRefusal(cause: unknown): string {
  if (cause instanceof PatternError)
    return `has a pattern that is very slow for some values and ${cause.message}`
  return cause instanceof RangeError
    ? 'is nested too deeply for a validator: move inner schemas to components, or shorten the chain of components'
    : 'combines keywords that a validator cannot check: write it with fewer or simpler keywords'
}
