import { _, type Ajv, type Options } from 'ajv'
import type { AnyValidateFunction } from 'ajv/dist/types/index.js'
import {
  type Contract,
  ContractError,
  compilationRefusal,
  compilePattern,
  contractError,
  createAjv,
  type DeclaredError,
  formats,
  type JsonValue,
  type LocatedSchema,
  type Method,
} from '../../contract/index.js'
import { contractSchemas } from './contract-schemas.js'
import type { FunctionKind } from './function-text.js'
import { useMessages } from './messages.js'
import { type SharedFunction, shareFunctions } from './share-functions.js'

/** The compiled validators of a method: names of functions in the generated file. */
export interface CompiledMethod {
  readonly params: readonly CompiledParam[]
  readonly result: string | undefined
  /** Returns what is wrong with a value that an example has for a parameter (by position) or the result. */
  readonly problem: (of: ValueOf, value: JsonValue) => ValueProblem | undefined
  /** Positions of the parameters whose schemas accept null. */
  readonly nullable: ReadonlySet<number>
}

/** The functions that validate a parameter. */
export interface CompiledParam {
  /** It stops at the first error. */
  readonly first: string
  /** It collects all errors of an object or a list. Undefined if the parameter is neither. */
  readonly every: string | undefined
}

/** What a value is given for: a parameter, by position, or the result. */
type ValueOf = number | 'result'

/** One violation of a schema. */
export interface ValueProblem {
  /** JSON pointer into the value. */
  readonly path: string
  readonly message: string
}

/** Compiles the schemas of a contract to functions that methods share. */
export interface ContractCompiler {
  /**
   * Compiles a method's schemas, once, and validates the defaults of its parameters.
   * @throws ContractError if ajv cannot compile a schema, or a default violates its schema
   */
  readonly method: (method: Method) => CompiledMethod
  /**
   * Compiles the schema of an error's data. Returns the name of its function.
   * @throws ContractError if ajv cannot compile the schema
   */
  readonly data: (error: DeclaredError) => string
  /** Returns the functions that were compiled, and the names of the formats that they use. */
  readonly functions: () => { readonly code: string; readonly formats: readonly string[] }
}

/** Creates the compiler of a contract. */
export function createCompiler(contract: Contract): ContractCompiler {
  const schemas = contractSchemas(contract)
  const functions = shareFunctions({ ...schemas, createAjv: createStrictAjv })
  const methods = new Map<Method, CompiledMethod>()

  function compile(schema: LocatedSchema, kind: FunctionKind): SharedFunction {
    try {
      return functions.get(schemas.referenceOf(schema), kind)
    } catch (cause) {
      if (!(cause instanceof Error) || cause.name === 'ContractError') throw cause
      throw contractError(schema.pointer, compilationRefusal(cause), { cause })
    }
  }

  function compileMethod(method: Method): CompiledMethod {
    const { result } = method
    const params = method.params.map(({ schema }) => schema)
    const traits = schemas.traits([...params, ...(result ? [result.schema] : [])])
    const compiled = (schema: LocatedSchema, allErrors: boolean) => compile(schema, { ...traits, allErrors })
    refuseAll([...params, ...(result ? [result.schema] : [])].map((schema) => () => compiled(schema, false)))
    const first = params.map((schema) => compiled(schema, false))
    const resultFunction = result ? compiled(result.schema, false) : undefined
    const problem = (of: ValueOf, value: JsonValue) =>
      firstProblem((of === 'result' ? resultFunction : first[of])?.validate, value)
    checkDefaults(method, problem)
    return {
      params: params.map((schema, at) => ({
        first: first[at]?.name ?? '',
        every: schemas.hasInside(schema) ? compiled(schema, true).name : undefined,
      })),
      result: resultFunction?.name,
      problem,
      nullable: new Set(params.flatMap((_, at) => (problem(at, null) === undefined ? [at] : []))),
    }
  }

  return {
    method: (method) => {
      const known = methods.get(method) ?? compileMethod(method)
      methods.set(method, known)
      return known
    },
    data: ({ pointer, data = { pointer, schema: false } }) =>
      compile(data, { ...schemas.traits([data]), allErrors: false }).name,
    functions: () => ({ code: functions.text(), formats: functions.formats() }),
  }
}

/** Runs all steps, and throws one ContractError with the problems of those that failed. */
function refuseAll(steps: readonly (() => unknown)[]): void {
  const problems = steps.flatMap((step) => {
    try {
      step()
      return []
    } catch (error) {
      if (error instanceof ContractError) return error.problems
      throw error
    }
  })
  if (problems.length > 0) throw new ContractError(problems)
}

/** ajv reports a composition after the branches that it tried, so the last error describes the value best. */
function firstProblem(validate: AnyValidateFunction | undefined, value: JsonValue): ValueProblem | undefined {
  if (!validate || validate(value)) return undefined
  const error = validate.errors?.at(-1)
  const types = error?.keyword === 'type' ? [error.params['type']].flat().join(' or ') : undefined
  const message = types === undefined ? error?.message : `must be of the type ${types}`
  return { path: error?.instancePath ?? '', message: message ?? 'violates its schema' }
}

/**
 * Creates an ajv instance. Strict mode rejects schemas that ajv would otherwise ignore silently.
 */
function createStrictAjv({ allErrors, unevaluated, ownProperties }: FunctionKind): Ajv {
  const options: Options = {
    allErrors,
    strict: true,
    strictTypes: false,
    strictTuples: false,
    strictRequired: false,
    allowMatchingProperties: true,
    ownProperties,
    formats,
    code: {
      source: true,
      lines: true,
      // The generated file contains an equivalent function of this name.
      regExp: Object.assign(compilePattern, { code: 'compilePattern' }),
      formats: _`formats`,
    },
  }
  const ajv = createAjv(options, unevaluated)
  useMessages(ajv)
  return ajv
}

function checkDefaults({ params }: Method, problem: CompiledMethod['problem']): void {
  params.forEach((param, at) => {
    if (param.default === undefined || !problem(at, param.default)) return
    const message = `the default ${JSON.stringify(param.default)} violates its own schema`
    throw contractError(param.schema.pointer, message)
  })
}
