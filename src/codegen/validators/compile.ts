import { createRequire } from 'node:module'
import { _, Ajv, type Options } from 'ajv'
import { Ajv2019 } from 'ajv/dist/2019.js'
import {
  type Contract,
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
  usesNextDraft,
} from '../../contract/index.js'
import { useMessages } from './messages.js'

/** ajv's standalone module is CommonJS whose default export is not typed for ES modules. */
const standalone = createRequire(import.meta.url)('ajv/dist/standalone') as (
  ajv: Ajv,
  exported: Readonly<Record<string, string>>,
) => string

/** A method's checks as the body of a function that puts them on its parameter `exports`. */
export interface CompiledMethod {
  /** Every parameter (`p0`, `p1`, …) and the `result`, ended by the first error. */
  readonly first: string
  /** The parameters that have an inside, with all their errors; undefined where none has. */
  readonly every: string | undefined
}

/**
 * Compiles a method's schemas, and holds the defaults of its parameters against them.
 * @throws ContractError where ajv cannot honour a schema, or a default breaks its schema
 */
export function compileMethod(contract: Contract, method: Method): CompiledMethod {
  const params = method.params.map(({ schema }, at) => [`p${at}`, schema] as const)
  const result = method.result ? [['result', method.result.schema] as const] : []
  const deep = params.filter(([, schema]) => hasInside(schemaSet(contract, [schema]).resource))
  return {
    first: compile(contract, method, [...params, ...result], false, checkDefaults),
    every: deep.length > 0 ? compile(contract, method, deep, true) : undefined,
  }
}

type Named = readonly (readonly [name: string, schema: LocatedSchema])[]

function compile(
  contract: Contract,
  method: Method,
  named: Named,
  allErrors: boolean,
  inspect?: (ajv: Ajv, method: Method, set: SchemaSet) => void,
): string {
  const set = schemaSet(
    contract,
    named.map(([, schema]) => schema),
  )
  const ajv = createAjv(set, allErrors)
  const exported = named.map(([name], at) => [name, set.roots[at] ?? ''] as const)
  try {
    ajv.addSchema(set.resource as Record<string, unknown>, undefined, false, false)
    const text = standalone(ajv, Object.fromEntries(exported))
    inspect?.(ajv, method, set)
    return withoutImports(text)
  } catch (cause) {
    if (!(cause instanceof Error) || cause.name === 'ContractError') throw cause
    throw contractError(method.pointer, `its schemas cannot be compiled: ${cause.message}`, { cause })
  }
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
      regExp: Object.assign(compilePattern, { code: 'compilePattern' }),
      formats: _`formats`,
    },
  }
  const ajv = usesNextDraft(resource) ? new Ajv2019(options) : new Ajv(options)
  useMessages(ajv)
  return ajv
}

/** As the generated file's own function of that name: the flag `u` where the pattern allows it. */
function compilePattern(source: string, flags: string): RegExp {
  try {
    return new RegExp(source, flags)
  } catch {
    return new RegExp(source)
  }
}

/** True where a value can have more than one error: an object or a list may be asked for. */
function hasInside(schema: JsonValue): boolean {
  if (isArray(schema)) return schema.some(hasInside)
  if (!isObject(schema)) return false
  const inside = ['properties', 'patternProperties', 'additionalProperties', 'items', 'required']
  return Object.entries(schema).some(([name, value]) => inside.includes(name) || hasInside(value ?? null))
}

function checkDefaults(ajv: Ajv, { params }: Method, { roots }: SchemaSet): void {
  params.forEach((param, at) => {
    const validate = param.default === undefined ? undefined : ajv.getSchema(roots[at] ?? '')
    if (!validate || validate(param.default)) return
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
