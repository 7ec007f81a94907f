import {
  _,
  type Ajv,
  type AnySchema,
  type Code,
  type KeywordCxt,
  Name,
  nil,
  type SchemaCxt,
  str,
  stringify,
} from 'ajv'
import { and, getProperty } from 'ajv/dist/compile/codegen/index.js'
import { alwaysValidSchema, escapeJsonPointer } from 'ajv/dist/compile/util.js'
import { allSchemaProperties, propertyInData } from 'ajv/dist/vocabularies/code.js'

/** What the code that ajv is writing refers to. */
export interface References {
  /** Returns the name of the function that validates the target of a reference. */
  readonly find: (it: SchemaCxt, reference: string) => Name
  readonly schemaOf: (reference: string) => AnySchema
}

const vErrors = new Name('vErrors')
const errorCount = new Name('errors')

/**
 * Makes an ajv instance validate `$ref` by calling the target's function with the value alone. The caller adds the
 * value's place to the errors, so a valid value costs no text. ajv itself copies small targets, and passes the place,
 * the parent and the root of every value.
 */
export function callReferences(ajv: Ajv, { find, schemaOf }: References): void {
  redefine(ajv, '$ref', (context) => {
    const { gen, it, data, schema: reference } = context
    const schema = schemaOf(reference)
    if (alwaysValidSchema(it, schema)) return
    if (isBranch(it) && isCopied(schema)) {
      const valid = gen.name('valid')
      const topSchemaRef = gen.scopeValue('schema', { ref: schema, code: stringify(schema) })
      const place = { schemaPath: nil, topSchemaRef, errSchemaPath: reference }
      context.subschema({ schema, dataTypes: [], ...place }, valid)
      context.ok(valid)
      return
    }
    const name = find(it, reference)
    refuse(context, _`!${name}(${data})`, name, it.errorPath)
  })
  redefine(ajv, 'properties', (context) => {
    const { gen, it, data, schema } = context
    const names = allSchemaProperties(schema)
    for (const name of names) it.definedProperties.add(name)
    for (const property of names) {
      if (alwaysValidSchema(it, schema[property])) continue
      const isPresent = propertyInData(gen, data, property, it.opts.ownProperties)
      const reference = isBranch(it) ? undefined : onlyReference(schema[property])
      if (reference === undefined) {
        const valid = gen.name('valid')
        gen.if(isPresent)
        context.subschema({ keyword: 'properties', schemaProp: property, dataProp: property }, valid)
        if (isBranch(it)) gen.else().var(valid, true)
        gen.endIf()
        if (isBranch(it)) gen.if(valid)
      } else if (!alwaysValidSchema(it, schemaOf(reference))) {
        const name = find(it, reference)
        const isRefused = and(isPresent, _`!${name}(${data}${getProperty(property)})`)
        refuse(context, isRefused, name, str`${it.errorPath}${`/${escapeJsonPointer(property)}`}`)
      }
    }
  })
}

/** Writes what happens if a target refuses a value: the target's errors become those of the calling function. */
function refuse({ gen, it }: KeywordCxt, isRefused: Code, name: Name, place: Code): void {
  const helper = gen.scopeValue('func', { ref: errorsAt, code: _`errorsAt` })
  const own = String(place) === '""' ? _`${name}.errors` : _`${helper}(${name}.errors, ${place})`
  gen.if(isRefused)
  if (!it.allErrors && !isBranch(it)) {
    gen.assign(_`${it.validateName}.errors`, own).return(false)
    gen.endIf()
    return
  }
  const all = gen.scopeValue('func', { ref: withErrors, code: _`withErrors` })
  gen.assign(vErrors, _`${all}(${vErrors}, ${own})`)
  gen.assign(errorCount, _`${vErrors}.length`)
  if (it.allErrors) gen.endIf()
  else gen.else()
}

/**
 * True in a branch of a composition if only the first error is wanted. There, errors are collected, and one of a value
 * keeps the rest of the schema from being checked. Elsewhere, a function that wants the first error returns it at once.
 */
function isBranch({ allErrors, compositeRule }: SchemaCxt): boolean {
  return !allErrors && compositeRule === true
}

/**
 * Returns true for a schema that is copied into branches of compositions instead of called.
 * - Schemas without inner schemas are copied. Most branches refuse a value, and the errors of a call would cost more
 *   than the code of a copy.
 * - Schemas that can report two errors of a value are copied, too, because messages depend on the number of errors. ajv
 *   checks some keywords although the type is wrong.
 */
function isCopied(schema: AnySchema): boolean {
  const found = [...objectsIn(schema)]
  const checked = ['enum', 'const', 'not', 'if', 'allOf', 'anyOf', 'oneOf']
  const canHaveTwoErrors = found.some(
    (inner) => 'type' in inner && checked.some((keyword) => keyword in inner),
  )
  return (found.length === 1 || canHaveTwoErrors) && found.every((inner) => !('$ref' in inner))
}

function* objectsIn(value: unknown): Generator<object> {
  if (typeof value !== 'object' || value === null) return
  if (!Array.isArray(value)) yield value
  for (const inner of Object.values(value)) yield* objectsIn(inner)
}

/** Appends errors. The generated file contains an equivalent function. */
function withErrors(errors: readonly object[] | null, more: readonly object[]): readonly object[] {
  return errors === null ? more : errors.concat(more)
}

/** Moves errors to the place of the value that has them. The generated file contains an equivalent function. */
function errorsAt(errors: readonly { instancePath: string }[], place: string): readonly object[] {
  for (const error of errors) error.instancePath = place + error.instancePath
  return errors
}

/** Returns the reference of a schema that has no other keyword with an effect. */
export function onlyReference(schema: AnySchema): string | undefined {
  if (typeof schema !== 'object') return undefined
  const { $ref, title, description, ...rest } = schema as Readonly<Record<string, unknown>>
  return typeof $ref === 'string' && Object.keys(rest).length === 0 ? $ref : undefined
}

/** Replaces how an ajv instance writes code for a keyword. */
export function redefine(ajv: Ajv, keyword: string, code: (context: KeywordCxt) => void): void {
  const rule = ajv.RULES.all[keyword]
  if (typeof rule !== 'object') return
  Object.assign(rule, { definition: { ...rule.definition, code } })
}
