import {
  followed,
  inContext,
  isObject,
  type JsonObject,
  type LocatedSchema,
  member,
  referenceOf,
  schemaMap,
  type TypeAtom,
} from '../../contract/index.js'
import { docComment, literalType } from '../text.js'
import { quantityKind } from './decode-plan.js'
import { literals, refusedTypes, statesTypesOnly, typesOf } from './keywords/any-type.js'
import { arrayType } from './keywords/arrays.js'
import { composedTypes } from './keywords/boolean-logic.js'
import { conditionType } from './keywords/conditions.js'
import { objectMembers, objectType, type WriteMember } from './keywords/objects.js'
import { stringType } from './keywords/strings.js'
import { schemaNotes } from './schema-notes.js'
import {
  anyJson,
  block,
  intersection,
  never,
  type Properties,
  type TypeText,
  type TypeWriter,
  tight,
  union,
  type WriteType,
} from './type-writer.js'

const none: Properties = new Map()

/** Returns the name of a schema that is written inline, or the narrowest TypeScript type for its values. */
export function typeOf(writer: TypeWriter, located: LocatedSchema): TypeText {
  const type = schemaType(writer, located)
  recordNames(writer, type.text)
  return type
}

/** Returns the narrowest TypeScript type for the values of a schema, for the declaration of its name. */
export function bodyOf(writer: TypeWriter, located: LocatedSchema): TypeText {
  const type = unnamedType(writer, located, none)
  recordNames(writer, type.text)
  return type
}

function schemaType(writer: TypeWriter, located: LocatedSchema, enclosing: Properties = none): TypeText {
  return isNamedInline(writer, located)
    ? tight(writer.names.get(located.pointer) ?? '')
    : unnamedType(writer, located, enclosing)
}

/** Returns true for an inline schema with a name. Parts of it have the same place, but no name. */
function isNamedInline({ names }: TypeWriter, { pointer, schema }: LocatedSchema): boolean {
  return names.inline.get(pointer)?.schema === schema
}

function unnamedType(writer: TypeWriter, raw: LocatedSchema, enclosing: Properties): TypeText {
  const located = inContext(writer.contract, raw)
  const { schema } = located
  const { write } = writersOf(writer)
  if (!isObject(schema)) return schema ? anyJson : never
  const quantity = writer.isDecoded ? quantityType(raw) : undefined
  if (quantity !== undefined)
    return quantityKind(raw) === 'also'
      ? union([quantity, ownType(writer, located, schema, enclosing)])
      : quantity
  const properties = new Map([...enclosing, ...schemaMap(located, 'properties')])
  const target = referencedType(writer, located, write)
  const composed = [...(target ? [target] : []), ...composedTypes(writer, located, properties, write)]
  const says = composed.some(({ text }) => text !== anyJson.text)
  const own = says && statesTypesOnly(schema) ? [] : [ownType(writer, located, schema, enclosing)]
  const others = withoutTypes(refusedTypes(writer.contract, located), composed)
  const [first, ...more] = others
  const isBase = first !== undefined && referenceOf(schema) !== undefined
  const conditions = conditionType(writer, located, enclosing, write)
  const type = intersection([...(isBase ? [first, ...own, ...more] : [...own, ...others]), ...conditions])
  return member(schema, 'nullable') === true ? union([type, tight('null')]) : type
}

/**
 * Returns the type of the schema that `$ref` names (draft-07 core, section 8.3; 2020-12 core, section 8.2.3.1): its name,
 * if it has one. Undefined without a reference.
 */
function referencedType(writer: TypeWriter, located: LocatedSchema, write: WriteType): TypeText | undefined {
  const target = followed(located, writer.contract)
  if (target === undefined) return undefined
  const name = writer.names.get(target.pointer)
  if (name === undefined) return write(target)
  return tight(name)
}

/**
 * Returns the types of a composition without the types that the enclosing schema excludes. An intersection would not
 * work: TypeScript accepts a number as an object of optional members, and rejects an interface as a `JsonObject`.
 */
function withoutTypes(refused: ReadonlySet<TypeAtom>, composed: readonly TypeText[]): readonly TypeText[] {
  const { text } = intersection(composed)
  if (refused.size === 0 || text === anyJson.text || text === never.text) return composed
  const isList = (type: TypeAtom) => type === 'array' && refused.has('object')
  const words = [...refused].map((type) => (isList(type) ? 'object' : typescriptTypes[type]))
  return [tight(`Exclude<${text}, ${[...new Set(words)].join(' | ')}>`)]
}

const typescriptTypes: Readonly<Record<TypeAtom, string>> = {
  null: 'null',
  boolean: 'boolean',
  object: '{ readonly [member: string]: unknown }',
  array: 'readonly unknown[]',
  string: 'string',
  integer: 'number',
  fraction: 'number',
}

/** Returns the type of a decoded quantity. */
function quantityType(located: LocatedSchema): TypeText | undefined {
  const kind = quantityKind(located)
  if (kind === undefined || !isObject(located.schema)) return undefined
  const values = kind === 'number' ? literals(located.schema, typesOf(located.schema)) : undefined
  if (values) return union(values.map((value) => tight(String(Number(value)))))
  return kind === 'either' || kind === 'also' ? union([tight('bigint'), tight('number')]) : tight(kind)
}

/**
 * Records the names in the final text of a type. A union with `JsonValue` drops names that were written
 * before.
 */
function recordNames({ known, used }: TypeWriter, text: string): void {
  const bare = text
    .replaceAll(/\/\*\*.*?\*\/|'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|`(?:[^`\\]|\\.)*`/gs, '')
    .replaceAll(/[\p{ID_Continue}$]+\??:/gu, '')
  for (const word of bare.match(/[\p{ID_Continue}$]+/gu) ?? []) if (known.has(word)) used.add(word)
}

/** Returns the type from the schema's own keywords, without references and compositions. */
function ownType(
  writer: TypeWriter,
  located: LocatedSchema,
  schema: JsonObject,
  enclosing: Properties,
): TypeText {
  const types = typesOf(schema)
  const values = literals(schema, types)
  if (values) return union(values.map((value) => tight(literalType(value))))
  if (!types) return anyJson
  return union(
    types.map((type) => {
      if (type === 'object') return objectType(located, enclosing, writersOf(writer))
      if (type === 'array') return arrayType(writer, located, writersOf(writer).write)
      if (type === 'string') return tight(stringType(schema))
      return tight(type === 'integer' ? 'number' : type)
    }),
  )
}

/** Returns how the inner types of a schema are written. */
function writersOf(writer: TypeWriter): WriteMember {
  return {
    write: (located, enclosing) => schemaType(writer, located, enclosing),
    doc: (located) => docComment(useDoc(writer, located)),
  }
}

/** Returns the members of an object schema in braces, for an interface. */
export function interfaceBody(writer: TypeWriter, located: LocatedSchema): string {
  const body = block(objectMembers(located, none, writersOf(writer)))
  recordNames(writer, body)
  return body
}

/** Returns true if the type of a schema has conditions beside its own members. */
export function hasConditions(writer: TypeWriter, located: LocatedSchema): boolean {
  return conditionType(writer, located, none, writersOf(writer).write).length > 0
}

/** Returns the doc comment of a schema where it is used: nothing that the doc comment of its name says. */
export function useDoc(
  { names }: TypeWriter,
  { pointer, schema }: LocatedSchema,
): readonly (string | undefined)[] {
  const inline = names.inline.get(pointer)
  if (inline === undefined) return schemaDoc(schema)
  const [text, , deprecated] = schemaDoc(schema)
  return [text === schemaDoc(inline.declared.schema)[0] ? undefined : text, deprecated]
}

/**
 * Returns the doc comment of a schema: its description or title, and constraints that the type cannot
 * express.
 */
export function schemaDoc(schema: LocatedSchema['schema']): readonly (string | undefined)[] {
  if (!isObject(schema)) return []
  const text = member(schema, 'description') ?? member(schema, 'title')
  const deprecated = member(schema, 'deprecated') === true ? '@deprecated' : undefined
  const notes = schemaNotes(schema).join(' ')
  return [typeof text === 'string' ? text : undefined, notes, deprecated]
}
