import type { Ajv, AnySchema, Name, SchemaCxt } from 'ajv'
import type { AnyValidateFunction, SourceCode } from 'ajv/dist/types/index.js'
import { callRef } from 'ajv/dist/vocabularies/core/ref.js'
import { isArray, isObject, type JsonValue } from '../../contract/index.js'
import { freeName } from '../types/identifiers.js'
import { callReferences, onlyReference, redefine } from './call-references.js'
import { type FunctionKind, functionText, valueText } from './function-text.js'
import { readTags } from './tagged-unions.js'

/** A compiled function. */
export interface SharedFunction {
  /** Its name in the generated file. */
  readonly name: string
  readonly validate: AnyValidateFunction
}

/** The schemas that functions are made of. */
export interface SharedSchemas {
  /** The schemas, by the text of references to them. */
  readonly schemas: ReadonlyMap<string, JsonValue>
  /** Returns an identifier for a schema. It need not be unique. */
  readonly nameOf: (reference: string) => string
  readonly createAjv: (kind: FunctionKind) => Ajv
}

/** The functions of a contract's schemas: each schema has one of each kind that is used. */
export interface SharedFunctions {
  /**
   * Returns the function of a schema. It is compiled on first use, after those that it calls.
   * @throws Error if ajv cannot compile a schema
   */
  readonly get: (reference: string, kind: FunctionKind) => SharedFunction
  /** Returns all functions that were compiled, and the values that they use. */
  readonly text: () => string
  /** Returns the names of the formats that the functions use. */
  readonly formats: () => readonly string[]
}

/** An instance of ajv, which compiles the functions of one kind. */
interface Instance {
  readonly kind: FunctionKind
  readonly ajv: Ajv
  /** Names of functions, by reference. */
  readonly names: Map<string, string>
  /** Names of functions that are called before they are compiled, by the names that ajv gave them. */
  readonly recursive: Map<string, string>
}

/**
 * Creates the functions of a contract's schemas. Their names begin with a prefix and `_`, so that they differ from all
 * other names of the file and from those of JavaScript.
 */
export function shareFunctions({ schemas, nameOf, createAjv }: SharedSchemas): SharedFunctions {
  const names = new Set<string>()
  const instances = new Map<string, Instance>()
  const compiled = new Map<AnyValidateFunction, string>()
  /** Names of functions, by their text without the name. Equal schemas share a function. */
  const texts = new Map<string, string>()
  const values = new Map<string, string>()
  const formats = new Set<string>()
  const parts: string[] = []

  const resolved = referenceEnds(schemaOf)

  function instanceOf(kind: FunctionKind): Instance {
    const key = JSON.stringify(Object.entries(kind).sort())
    const known = instances.get(key)
    if (known) return known
    const instance = { kind, ajv: createAjv(kind), names: new Map(), recursive: new Map() }
    for (const [reference, schema] of schemas) {
      instance.ajv.addSchema(schema as AnySchema, reference, false, false)
    }
    readTags(instance.ajv, schemaOf)
    const find = (it: SchemaCxt, reference: string) => target(instance, it, reference)
    if (kind.unevaluated) {
      // `unevaluatedProperties` needs what a target evaluated, which ajv's own call returns.
      redefine(instance.ajv, '$ref', (context) => {
        const name = find(context.it, context.schema)
        callRef(context, name, instance.ajv.schemas[resolved(context.schema)], false)
      })
    } else callReferences(instance.ajv, { find, schemaOf })
    instances.set(key, instance)
    return instance
  }

  /** Returns the name of a target's function for the code that ajv is writing. */
  function target({ ajv, kind, names: own, recursive }: Instance, it: SchemaCxt, from: string): Name {
    const { gen } = it
    const reference = resolved(from)
    const { validate, validateName } = ajv.schemas[reference] ?? {}
    if (validate || !validateName) return gen.scopeValue('validate', { ref: get(reference, kind).validate })
    recursive.set(String(validateName), own.get(reference) ?? '')
    // The functions of the file see each other; those that ajv evaluates see themselves only.
    return it.validateName === validateName
      ? validateName
      : gen.scopeValue(laterPrefix, { ref: later(ajv, reference), key: reference })
  }

  function schemaOf(reference: string): AnySchema {
    return (schemas.get(reference) ?? {}) as AnySchema
  }

  function get(from: string, wanted: FunctionKind): SharedFunction {
    const reference = resolved(from)
    const isShort = wanted.allErrors && hasOneError(schemas.get(reference) ?? {})
    const instance = instanceOf(isShort ? { ...wanted, allErrors: false } : wanted)
    const known = instance.ajv.schemas[reference]?.validate
    if (known) return { name: compiled.get(known) ?? '', validate: known }
    const name = freeName(`${instance.kind.allErrors ? 'every' : 'is'}_${nameOf(reference)}`, names)
    names.add(name)
    instance.names.set(reference, name)
    const validate = instance.ajv.getSchema(reference)
    if (!validate?.source) throw new TypeError(`${reference} was not compiled`)
    compiled.set(validate, addText(instance, validate.source, name, schemaOf(reference) as JsonValue))
    return { name: compiled.get(validate) ?? '', validate }
  }

  /** Adds the text of a function, unless an equal one exists. Returns the name of the function to call. */
  function addText(instance: Instance, source: SourceCode, name: string, schema: JsonValue): string {
    const { kind, names: own, recursive } = instance
    const validateName = String(source.validateName)
    const renamed = new Map([...recursive, ...scopeNames(source, own)])
    const text = functionText(source, renamed.set(validateName, '$'), kind, schema)
    const same = texts.get(text)
    if (same !== undefined && !recursive.has(validateName)) return same
    texts.set(text, name)
    parts.push(functionText(source, renamed.set(validateName, name), kind, schema))
    return name
  }

  /** Returns what the names of values outside a function are replaced by. */
  function scopeNames({ scopeValues }: SourceCode, own: Instance['names']): ReadonlyMap<string, string> {
    const renamed = new Map<string, string>()
    for (const name of Object.values(scopeValues).flatMap((found) => [...(found ?? [])])) {
      const { prefix, value } = name
      const called = prefix === 'validate' ? compiled.get(value?.ref as AnyValidateFunction) : undefined
      const validate = prefix === laterPrefix ? own.get(String(value?.key)) : called
      if (prefix === 'formats') formats.add(String(value?.key))
      const text = validate ?? valueText(name, renamed)
      renamed.set(String(name), isShort(text) ? text : constant(prefix, text))
    }
    return renamed
  }

  /** Returns the name of a constant of the file for a value. Equal values share one. */
  function constant(prefix: string, text: string): string {
    const name = values.get(text) ?? freeName(`${prefix}_${values.size + 1}`, names)
    names.add(name)
    values.set(text, name)
    return name
  }

  return {
    get,
    formats: () => [...formats],
    text: () => {
      const code = parts.join('\n')
      const words = new Set(code.match(/\b\w+\b/g))
      const used = [...values].filter(([, name]) => words.has(name))
      return `${used.map(([text, name]) => `const ${name} = ${text}\n`).join('')}\n${code}`
    },
  }
}

/** Creates a function that follows references of schemas that have no other keyword. Each chain is followed once. */
function referenceEnds(schemaOf: (reference: string) => AnySchema): (reference: string) => string {
  const ends = new Map<string, string>()
  const nextOf = (reference: string) => ends.get(reference) ?? onlyReference(schemaOf(reference))
  return (reference) => {
    const seen = new Set<string>()
    let end = reference
    for (let next = nextOf(end); next !== undefined && !seen.has(next); next = nextOf(end)) {
      seen.add(end)
      end = next
    }
    for (const passed of seen) ends.set(passed, end)
    return end
  }
}

/** Prefix of the names of functions that stand in for schemas that are not compiled yet, as in a recursion. */
const laterPrefix = 'wrapper'

/** Returns a function that calls another one, which is compiled later. */
function later(ajv: Ajv, reference: string): AnyValidateFunction {
  const call = (...values: readonly unknown[]) => {
    const validate = ajv.schemas[reference]?.validate as AnyValidateFunction &
      ((...args: unknown[]) => boolean)
    const isValid = validate(...values)
    return Object.assign(call, { errors: validate.errors, evaluated: validate.evaluated }) && isValid
  }
  return call as AnyValidateFunction
}

/** True for the name of a function, or of a member of the formats. */
function isShort(text: string): boolean {
  return /^[\w$]+$|^formats[.[]/.test(text)
}

/**
 * Returns true if no value has more than one error, so that the function that stops at the first one also finds all.
 * Keywords for texts are checked after the type, and one of them at most.
 */
function hasOneError(schema: JsonValue): boolean {
  if (!isObject(schema)) return true
  const { title, description, type, ...rest } = schema
  const [keyword, ...others] = Object.keys(rest)
  if (keyword === undefined) return true
  const isText = type === 'string' || (isArray(type) && type.includes('string'))
  return others.length === 0 && isText && ['pattern', 'format', 'minLength', 'maxLength'].includes(keyword)
}
