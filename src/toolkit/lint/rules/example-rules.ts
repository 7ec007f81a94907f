import {
  type Contract,
  ContractError,
  createSchemaChecker,
  type ExamplePairing,
  isObject,
  type JsonValue,
  joinPath,
  joinPointer,
  type Method,
  member,
  type SchemaChecker,
} from '../../contract/index.js'
import type { LintProblem, LintRule } from '../lint-rule.js'

/** Rules about examples and defaults: they must match the contract. */
export const exampleRules: readonly LintRule[] = [
  {
    name: 'example-violates-schema',
    severity: 'error',
    summary: 'Examples match the schemas of their parameters, results and errors.',
    advice: 'correct the value or the schema',
    check: ({ contract }) => eachExample(contract, violations(contract, readableChecker(contract))),
  },
  {
    name: 'example-unknown-parameter',
    severity: 'error',
    summary: 'Examples name only parameters of their method.',
    check: ({ contract }) => eachExample(contract, unknownParams),
  },
  {
    name: 'example-missing-parameter',
    severity: 'error',
    summary: 'Examples have a value for every required parameter.',
    advice: 'add it',
    check: ({ contract }) => eachExample(contract, missingParams),
  },
  {
    name: 'default-violates-schema',
    severity: 'error',
    summary: 'A default matches its own schema.',
    check: ({ contract }) => {
      const check = readableChecker(contract)
      const params = contract.methods.flatMap((method) => method.params)
      return params.flatMap(({ default: value, schema }) => {
        if (value === undefined) return []
        return check(schema, value).map(({ path, message }) => ({
          pointer: schema.pointer,
          message: `the default ${shown(value)} violates the schema${path === '' ? '' : ` at ${path}`}: it ${message}`,
        }))
      })
    },
  },
]

/** Creates a checker that ignores unusable schemas, because other rules report them. */
function readableChecker(contract: Contract): SchemaChecker {
  const check = createSchemaChecker(contract)
  return (schema, value) => {
    try {
      return check(schema, value)
    } catch (error) {
      if (error instanceof ContractError) return []
      throw error
    }
  }
}

function eachExample(
  { methods }: Contract,
  check: (method: Method, example: ExamplePairing) => readonly LintProblem[],
): readonly LintProblem[] {
  return methods.flatMap((method) => method.examples.flatMap((example) => check(method, example)))
}

/**
 * Checks examples against schemas. Examples of errors may have invalid parameters, since they show errors.
 */
function violations({ errors }: Contract, check: SchemaChecker) {
  return (method: Method, example: ExamplePairing): readonly LintProblem[] => {
    const problem = (pointer: string, schema: Method['params'][number]['schema'], value: JsonValue) =>
      check(schema, value).map(({ path, message }) => ({
        pointer: joinPath(pointer, path),
        message: `${shown(valueAtPath(value, path))} ${message}`,
      }))
    if (example.error !== undefined) return errorProblems(errors, method, example, check)
    const params = paired(method, example).flatMap(({ param, value, pointer }) =>
      param ? problem(pointer, param.schema, value) : [],
    )
    const { result } = example
    if (!result || !method.result) return params
    return [...params, ...problem(result.pointer, method.result.schema, result.value)]
  }
}

function errorProblems(
  errors: Contract['errors'],
  method: Method,
  { error, pointer }: ExamplePairing,
  check: SchemaChecker,
): readonly LintProblem[] {
  const place = joinPointer(pointer, 'error')
  const code = isObject(error) ? member(error, 'code') : undefined
  const declared = method.errors.length > 0 ? method.errors : errors
  const known = declared.filter((candidate) => candidate.code === code)
  if (known.length === 0)
    return [{ pointer: place, message: `the method declares no error with code ${shown(code)}` }]
  const data = isObject(error) ? member(error, 'data') : undefined
  if (data === undefined) {
    return known.every(({ dataRequired }) => dataRequired)
      ? [
          {
            pointer: place,
            message: `the error has no data, but the contract requires data for code ${shown(code)}`,
          },
        ]
      : []
  }
  const found = known.map((candidate) => (candidate.data ? check(candidate.data, data) : []))
  if (found.some((problems) => problems.length === 0)) return []
  return (found[0] ?? []).map(({ path, message }) => ({
    pointer: joinPath(joinPointer(place, 'value', 'data'), path),
    message: `the error's data ${message}`,
  }))
}

/**
 * Pairs the values of an example with parameters. If parameters are sent by position, example names have no
 * meaning. If both forms are allowed, names count only if all of them are parameter names.
 */
function paired({ params, paramStructure }: Method, example: ExamplePairing) {
  const byName = (name: string) => params.find((param) => param.name === name)
  const named =
    paramStructure === 'by-name' ||
    (paramStructure === 'either' && example.params.every(({ name }) => byName(name) !== undefined))
  return example.params.map((value, at) => ({ ...value, param: named ? byName(value.name) : params[at] }))
}

function unknownParams(method: Method, example: ExamplePairing): readonly LintProblem[] {
  if (example.error !== undefined) return []
  const { params, paramStructure } = method
  return paired(method, example).flatMap(({ name, pointer, param }) => {
    if (param) return []
    if (paramStructure !== 'by-name') {
      const count = `${params.length} parameter${params.length === 1 ? '' : 's'}`
      return [
        { pointer, message: `"${name}" is a surplus value: the method "${method.name}" takes ${count}` },
      ]
    }
    const names = params.map((known) => known.name).join(', ')
    return [{ pointer, message: `the method "${method.name}" has no parameter "${name}": it has ${names}` }]
  })
}

function missingParams(method: Method, example: ExamplePairing): readonly LintProblem[] {
  if (example.error !== undefined) return []
  const given = paired(method, example).map(({ param }) => param?.name)
  return method.params
    .filter(({ name, required }) => required && !given.includes(name))
    .map(({ name }) => ({
      pointer: example.pointer,
      message: `has no value for the required parameter "${name}"`,
    }))
}

function valueAtPath(value: JsonValue, path: string): JsonValue | undefined {
  let here: JsonValue | undefined = value
  for (const token of path.split('/').slice(1)) {
    const name = token.replaceAll('~1', '/').replaceAll('~0', '~')
    here = Array.isArray(here)
      ? (here as readonly JsonValue[])[Number(name)]
      : isObject(here)
        ? member(here, name)
        : undefined
  }
  return here
}

function shown(value: JsonValue | undefined): string {
  const text = JSON.stringify(value) ?? 'nothing'
  return text.length > 60 ? `${text.slice(0, 59)}…` : text
}
