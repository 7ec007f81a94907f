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
import { useMessages } from './messages.js'

/** ajv's standalone module is CommonJS whose default export is not typed for ES modules. */
const standalone = createRequire(import.meta.url)('ajv/dist/standalone') as (
  ajv: Ajv,
  exported: Readonly<Record<string, string>>,
) => string

/** A method's checks. The texts are bodies of functions that put the checks on their parameter `exports`. */
export interface CompiledMethod {
  /** Every parameter (`p0`, `p1`, …) and the `result`, ended by the first error. */
  readonly first: string
  /** The parameters that have an inside, with all their errors; undefined where none has. */
  readonly every: string | undefined
  /** What is wrong with a value of the parameter at a position, or of the result; undefined where it is taken. */
  readonly problem: (of: number | 'result', value: JsonValue) => ValueProblem | undefined
}

/** One way in which a value breaks its schema. */
export interface ValueProblem {
  /** JSON pointer into the value. */
  readonly path: string
  readonly message: string
}

/**
 * Compiles a method's schemas, and holds the defaults of its parameters against them.
 * @throws ContractError where ajv cannot honour a schema, or a default breaks its schema
 */
export function compileMethod(contract: Contract, method: Method): CompiledMethod {
  const params = method.params.map(({ schema }, at) => [`p${at}`, schema] as const)
  const result = method.result ? [['result', method.result.schema] as const] : []
  const deep = params.filter(([, schema]) => hasInside(schemaSet(contract, [schema]).resource))
  const first = compile(contract, method, [...params, ...result], false)
  const compiled: CompiledMethod = {
    first: first.text,
    every: deep.length > 0 ? compile(contract, method, deep, true).text : undefined,
    problem: (of, value) => firstProblem(first.check(of === 'result' ? of : `p${of}`), value),
  }
  checkDefaults(method, compiled)
  return compiled
}

/**
 * The check of an error's data, as the body of a function that puts it on `exports.data`.
 * @throws ContractError where ajv cannot honour the schema
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

/** The last error is that of the composition, where there is one, and not of a form that was tried. */
function firstProblem(validate: ValidateFunction | undefined, value: JsonValue): ValueProblem | undefined {
  if (!validate || validate(value)) return undefined
  const error = validate.errors?.at(-1)
  const types = error?.keyword === 'type' ? [error.params['type']].flat().join(' or ') : undefined
  const message = types === undefined ? error?.message : `must be of the type ${types}`
  return { path: error?.instancePath ?? '', message: message ?? 'breaks its schema' }
}

/** An ajv for one resource: strict where a schema would be passed over in silence. */
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
      // It takes a fifth of the time in which a large document is generated, and what it makes is no faster.
      optimize: false,
      // The generated file has a function of that name, which does the same.
      regExp: Object.assign(compilePattern, { code: 'compilePattern' }),
      formats: _`formats`,
    },
  }
  const ajv = usesNextDraft(resource) ? new Ajv2019(options) : new Ajv(options)
  useExactMultiples(ajv)
  useMessages(ajv)
  return ajv
}

/** True where a value can have more than one error: an object or a list may be asked for. */
function hasInside(schema: JsonValue): boolean {
  if (isArray(schema)) return schema.some(hasInside)
  if (!isObject(schema)) return false
  const inside = ['properties', 'patternProperties', 'additionalProperties', 'items', 'required']
  return Object.entries(schema).some(([name, value]) => inside.includes(name) || hasInside(value ?? null))
}

function checkDefaults({ params }: Method, { problem }: CompiledMethod): void {
  params.forEach((param, at) => {
    if (param.default === undefined || !problem(at, param.default)) return
    const message = `the default ${JSON.stringify(param.default)} breaks its own schema`
    throw contractError(param.schema.pointer, message)
  })
}

/** ajv's runtime helpers stand in the generated file itself; paths into schemas are nobody's business. */
function withoutImports(text: string): string {
  const code = text
    .replace(/^"use strict";\s*/, '')
    .replaceAll(/require\("ajv\/dist\/runtime\/(\w+)"\)\.default/g, '$1')
    .replaceAll(/schemaPath:"(?:[^"\\]|\\.)*",/g, '')
    // In an object literal a plain or quoted `__proto__` would set the prototype instead.
    .replaceAll('"__proto__":', '["__proto__"]:')
    // Items that are texts are remembered as names of members: "__proto__" is one like any other.
    .replaceAll(/^const (indices\d+) = \{\};$/gm, 'const $1 = Object.create(null);')
  const left = code.match(/\brequire\("([^"]*)"\)/)
  if (left) throw new TypeError(`it needs ${left[1]} at run time`)
  return shorter(withoutUnused(code)).trim()
}

/** ajv puts down every schema it has seen; most of them nothing refers to. */
function withoutUnused(code: string): string {
  const words = code.match(/\bschema\d+\b/g) ?? []
  return code.replaceAll(/^const (schema\d+) = .*;\n/gm, (line, name: string) =>
    words.filter((word) => word === name).length > 1 ? line : '',
  )
}

/** ajv writes out at every place how an error is kept and how errors are forgotten: the file has functions for both. */
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
