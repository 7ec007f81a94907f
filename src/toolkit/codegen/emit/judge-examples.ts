import { exampleGiven, type Given, sentParams } from '../../cases/index.js'
import {
  type Contract,
  type ContractProblem,
  createSchemaChecker,
  type DeclaredError,
  type ExamplePairing,
  isObject,
  type JsonObject,
  type JsonValue,
  joinPath,
  joinPointer,
  type LocatedSchema,
  type Method,
  member,
  type SchemaChecker,
  stringMember,
} from '../../contract/index.js'
import type { Source } from '../generated-file.js'
import { createTypeFitter } from '../types/fits-type.js'
import { createTypeWriter } from '../types/type-writer.js'

/** A valid example, with its parameters as they are sent. */
export interface ValidExample {
  readonly example: ExamplePairing
  readonly params: JsonValue
  /** The error response, if the example shows one. */
  readonly error: JsonObject | undefined
}

/** The input of the example checks. */
interface Judge extends Source {
  readonly check: SchemaChecker
  readonly fitsType: (schema: LocatedSchema, value: JsonValue) => boolean
}

/** Checks an example. Returns the example as it is sent, or the first problem found. */
export type ExampleJudge = (method: Method, example: ExamplePairing) => ValidExample | ContractProblem

const judges = new WeakMap<Contract, ExampleJudge>()

/** Returns the check of a contract's examples, which is created once. */
export function exampleJudge(source: Source): ExampleJudge {
  const judge = judges.get(source.contract) ?? createExampleJudge(source)
  judges.set(source.contract, judge)
  return judge
}

function createExampleJudge(source: Source): ExampleJudge {
  const check = createSchemaChecker(source.contract)
  const fitsType = createTypeFitter(createTypeWriter(source.contract, source.names), check)
  const judge: Judge = { ...source, check, fitsType }
  const judged = new Map<ExamplePairing, ReturnType<ExampleJudge>>()
  return (method, example) => {
    const known = judged.get(example) ?? checkExample(judge, method, example)
    judged.set(example, known)
    return known
  }
}

function checkExample(judge: Judge, method: Method, example: ExamplePairing): ReturnType<ExampleJudge> {
  const given = exampleGiven(method, example)
  const params = sentParams(method, given)
  if (params === undefined) {
    const at = given.indexOf(undefined)
    return problem(
      example,
      `has no value for "${method.params[at]?.name}", but has one for a later parameter`,
    )
  }
  return example.error === undefined
    ? (paramsProblem(judge, method, example, { given, params }) ??
        resultProblem(judge, method, example) ?? { example, params, error: undefined })
    : checkErrorExample(judge, method, example, params)
}

function problem({ pointer }: Pick<ExamplePairing, 'pointer'>, message: string): ContractProblem {
  return { pointer, message }
}

function paramsProblem(
  judge: Judge,
  method: Method,
  example: ExamplePairing,
  { given, params: sent }: { readonly given: Given; readonly params: JsonValue },
): ContractProblem | undefined {
  const { params, paramStructure } = method
  const unknown = example.params.find(({ name }) => !params.some((param) => param.name === name))
  if (unknown && paramStructure === 'by-name') {
    return { pointer: unknown.pointer, message: `the method has no parameter "${unknown.name}"` }
  }
  if (given.length > params.length) {
    return problem(example, `has ${given.length} parameters, but the method takes ${params.length}`)
  }
  const missing = params.find(({ required }, at) => required && given[at] === undefined)
  if (missing) return problem(example, `has no value for the required parameter "${missing.name}"`)
  for (const [at, { name, schema }] of params.entries()) {
    const value = given[at]
    if (value === undefined) continue
    const shown = example.params.find((other) => other.name === name) ?? example.params[at] ?? example
    const found = valueProblem(judge, method, at, { pointer: shown.pointer, schema, value })
    if (found) return found
  }
  // TypeScript confuses an optional parameter such as `constructor` with the function that every object
  // inherits.
  const mistaken = isObject(sent)
    ? params.find(({ name }) => name in {} && !Object.hasOwn(sent, name))
    : undefined
  if (!mistaken) return undefined
  return problem(
    example,
    `has no value for "${mistaken.name}", which every JavaScript object inherits: add a value`,
  )
}

const notAssignable =
  'valid, but not assignable to the TypeScript type of its schema: name its members, or its "type", in the schema'

function resultProblem(
  judge: Judge,
  method: Method,
  { result, pointer }: ExamplePairing,
): ContractProblem | undefined {
  if (!result) return undefined
  if (!method.result) return problem({ pointer }, 'shows a result, but the method has none')
  const { schema } = method.result
  return valueProblem(judge, method, 'result', { pointer: result.pointer, schema, value: result.value })
}

function valueProblem(
  { validators, fitsType }: Judge,
  method: Method,
  of: number | 'result',
  { pointer, schema, value }: { pointer: string; schema: LocatedSchema; value: JsonValue },
): ContractProblem | undefined {
  const broken = validators().method(method).problem(of, value)
  if (broken) return { pointer: joinPath(pointer, broken.path), message: broken.message }
  if (fitsType(schema, value)) return undefined
  return {
    pointer,
    message: notAssignable,
  }
}

/** Checks an error example. Its parameters are not validated, because it may demonstrate invalid ones. */
function checkErrorExample(
  { contract, check }: Judge,
  method: Method,
  example: ExamplePairing,
  params: JsonValue,
): ValidExample | ContractProblem {
  const error = isObject(example.error) ? example.error : {}
  const place = { pointer: joinPointer(example.pointer, 'error') }
  const code = member(error, 'code')
  if (!Number.isInteger(code) || stringMember(error, 'message') === undefined) {
    return problem(place, 'is not an error object: it needs an integer "code" and a "message"')
  }
  const declared: DeclaredError | undefined = (
    method.errors.length > 0 ? method.errors : contract.errors
  ).find((other) => other.code === code)
  if (!declared) return problem(place, `the method declares no error with the code ${String(code)}`)
  const data = member(error, 'data')
  const [broken] = data === undefined || !declared.data ? [] : check(declared.data, data)
  if (broken) return problem(place, `the error's data${broken.path} ${broken.message}`)
  return { example, params, error }
}
