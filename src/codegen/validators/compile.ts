import { createRequire } from 'node:module'
import { _, Ajv, type Options, type ValidateFunction } from 'ajv'
import { Ajv2019 } from 'ajv/dist/2019.js'
import {
  type Contract,
  compilePattern,
  contractError,
  formats,
  isArray,
  isObject,
  type JsonValue,
  type LocatedSchema,
  type Method,
  namesInheritedMembers,
  type SchemaSet,
  schemaSet,
  useExactMultiples,
  usesNextDraft,
} from '../../contract/index.js'
import { exampleGiven } from '../derive/given-params.js'
import { useMessages } from './messages.js'

/** The default export of ajv's CommonJS standalone module has no types for ES modules. */
const standalone = createRequire(import.meta.url)('ajv/dist/standalone') as (
  ajv: Ajv,
  exported: Readonly<Record<string, string>>,
) => string

/**
 * The compiled validators of a method. The texts are function bodies that assign validators to their
 * parameter `exports`.
 */
export interface CompiledMethod {
  /** Validators of all parameters (`p0`, `p1`, …) and of `result`. They stop at the first error. */
  readonly first: string
  /** Validators of objects and lists that collect all errors. Undefined if no parameter is one. */
  readonly every: string | undefined
  /** Returns what is wrong with a value that an example has for a parameter (by position) or the result. */
  readonly problem: (of: ValueOf, value: JsonValue) => ValueProblem | undefined
  /** Positions of the parameters whose schemas accept null. */
  readonly nullable: ReadonlySet<number>
}

/** What a value is given for: a parameter, by position, or the result. */
type ValueOf = number | 'result'

/** One violation of a schema. */
export interface ValueProblem {
  /** JSON pointer into the value. */
  readonly path: string
  readonly message: string
}

/**
 * Compiles a method's schemas, and validates the defaults of its parameters and the values of its examples. ajv's
 * instances are not kept: those of a large document take tens of megabytes.
 * @throws ContractError if ajv cannot compile a schema, or a default violates its schema
 */
export function compileMethod(contract: Contract, method: Method): CompiledMethod {
  const params = method.params.map(({ schema }, at) => [`p${at}`, schema] as const)
  const result = method.result ? [['result', method.result.schema] as const] : []
  const deep = params.filter(([, schema]) => hasInside(schemaSet(contract, [schema]).resource))
  const first = compile(contract, method, [...params, ...result], false)
  const { problems, nullable } = checkedValues(method, first)
  return {
    first: first.text,
    every: deep.length > 0 ? compile(contract, method, deep, true).text : undefined,
    problem: (of, value) => problems.get(of)?.get(value),
    nullable,
  }
}

/**
 * Validates the defaults of parameters, the values of examples, and null for each parameter. This function has a scope
 * of its own: a closure beside its caller's would keep ajv's instance alive.
 * @returns the problems of values of examples, and the parameters that accept null
 * @throws ContractError if a default violates its schema
 */
function checkedValues(
  method: Method,
  { check }: Compiled,
): {
  readonly problems: ReadonlyMap<ValueOf, ReadonlyMap<JsonValue, ValueProblem>>
  readonly nullable: ReadonlySet<number>
} {
  const problem = (of: ValueOf, value: JsonValue) =>
    firstProblem(check(of === 'result' ? of : `p${of}`), value)
  checkDefaults(method, problem)
  const problems = new Map<ValueOf, Map<JsonValue, ValueProblem>>()
  for (const [of, value] of exampleValues(method)) {
    const found = problem(of, value)
    if (found) problems.set(of, (problems.get(of) ?? new Map()).set(value, found))
  }
  const positions = method.params.flatMap((_, at) => (problem(at, null) === undefined ? [at] : []))
  return { problems, nullable: new Set(positions) }
}

/** Lists the values that examples have for parameters and for the result. */
function exampleValues(method: Method): readonly (readonly [ValueOf, JsonValue])[] {
  return method.examples.flatMap((example) => [
    ...exampleGiven(method, example).flatMap((value, at) =>
      value === undefined || at >= method.params.length ? [] : [[at, value] as const],
    ),
    ...(example.result && method.result ? [['result', example.result.value] as const] : []),
  ])
}

/**
 * Compiles the validator of an error's data to a function body that assigns it to `exports.data`.
 * @throws ContractError if ajv cannot compile the schema
 */
export function compileData(contract: Contract, data: LocatedSchema): string {
  return compile(contract, data, [['data', data]], false).text
}

type Named = readonly (readonly [name: string, schema: LocatedSchema])[]

interface Compiled {
  readonly text: string
  readonly check: (name: string) => ValidateFunction | undefined
}

function compile(
  contract: Contract,
  { pointer }: Pick<Method, 'pointer'>,
  named: Named,
  allErrors: boolean,
): Compiled {
  const set = schemaSet(
    contract,
    named.map(([, schema]) => schema),
  )
  const ajv = createAjv(set, allErrors)
  const roots = new Map(named.map(([name], at) => [name, set.roots[at] ?? '']))
  try {
    ajv.addSchema(set.resource as Record<string, unknown>, undefined, false, false)
    const text = withoutImports(standalone(ajv, Object.fromEntries(roots)))
    return { text, check: (name) => ajv.getSchema(roots.get(name) ?? '') }
  } catch (cause) {
    if (!(cause instanceof Error) || cause.name === 'ContractError') throw cause
    throw contractError(pointer, `its schemas cannot be compiled: ${cause.message}`, { cause })
  }
}

/** ajv reports a composition after the branches that it tried, so the last error describes the value best. */
function firstProblem(validate: ValidateFunction | undefined, value: JsonValue): ValueProblem | undefined {
  if (!validate || validate(value)) return undefined
  const error = validate.errors?.at(-1)
  const types = error?.keyword === 'type' ? [error.params['type']].flat().join(' or ') : undefined
  const message = types === undefined ? error?.message : `must be of the type ${types}`
  return { path: error?.instancePath ?? '', message: message ?? 'violates its schema' }
}

/**
 * Creates the ajv instance of one resource. Strict mode rejects schemas that ajv would otherwise ignore
 * silently.
 */
export function createAjv({ resource }: SchemaSet, allErrors: boolean): Ajv {
  const options: Options = {
    allErrors,
    strict: true,
    strictTypes: false,
    strictTuples: false,
    strictRequired: false,
    allowMatchingProperties: true,
    ownProperties: namesInheritedMembers(resource),
    formats,
    code: {
      source: true,
      lines: true,
      // Optimizing takes a fifth of the generation time of a large document and does not make validators
      // faster.
      optimize: false,
      // The generated file contains an equivalent function of this name.
      regExp: Object.assign(compilePattern, { code: 'compilePattern' }),
      formats: _`formats`,
    },
  }
  const ajv = usesNextDraft(resource) ? new Ajv2019(options) : new Ajv(options)
  useExactMultiples(ajv)
  useMessages(ajv)
  return ajv
}

/** Returns true if a value can have several errors, because the schema describes an object or a list. */
function hasInside(schema: JsonValue): boolean {
  if (isArray(schema)) return schema.some(hasInside)
  if (!isObject(schema)) return false
  const inside = ['properties', 'patternProperties', 'additionalProperties', 'items', 'required']
  return Object.entries(schema).some(([name, value]) => inside.includes(name) || hasInside(value ?? null))
}

function checkDefaults({ params }: Method, problem: CompiledMethod['problem']): void {
  params.forEach((param, at) => {
    if (param.default === undefined || !problem(at, param.default)) return
    const message = `the default ${JSON.stringify(param.default)} violates its own schema`
    throw contractError(param.schema.pointer, message)
  })
}

/** Replaces imports of ajv's runtime helpers, which the generated file contains, and removes schema paths. */
function withoutImports(text: string): string {
  const code = text
    .replace(/^"use strict";\s*/, '')
    .replaceAll(/require\("ajv\/dist\/runtime\/(\w+)"\)\.default/g, '$1')
    .replaceAll(/schemaPath:"(?:[^"\\]|\\.)*",/g, '')
    // In an object literal, a plain or quoted `__proto__` would set the prototype.
    .replaceAll('"__proto__":', '["__proto__"]:')
    // ajv stores string items as property names. `"__proto__"` must be an ordinary one.
    .replaceAll(/^const (indices\d+) = \{\};$/gm, 'const $1 = Object.create(null);')
  const left = code.match(/\brequire\("([^"]*)"\)/)
  if (left) throw new TypeError(`it needs ${left[1]} at run time`)
  return shorter(withoutUnused(code)).trim()
}

/** ajv emits every schema that it has seen, although most are unused. */
function withoutUnused(code: string): string {
  const words = code.match(/\bschema\d+\b/g) ?? []
  return code.replaceAll(/^const (schema\d+) = .*;\n/gm, (line, name: string) =>
    words.filter((word) => word === name).length > 1 ? line : '',
  )
}

/** ajv inlines the bookkeeping of errors everywhere. The generated file has functions for it. */
function shorter(code: string): string {
  return code
    .replaceAll(
      /if\(vErrors === null\)\{\nvErrors = \[(err\d+)\];\n\}\nelse \{\nvErrors\.push\(\1\);\n\}\nerrors\+\+;/g,
      'vErrors = withError(vErrors, $1);\nerrors++;',
    )
    .replaceAll(
      /if\(vErrors !== null\)\{\nif\((_errs\d+)\)\{\nvErrors\.length = \1;\n\}\nelse \{\nvErrors = null;\n\}\n\}/g,
      'vErrors = firstErrors(vErrors, $1);',
    )
}
