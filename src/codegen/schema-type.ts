import {
  type Contract,
  followed,
  isArray,
  isObject,
  type JsonObject,
  type LocatedSchema,
  member,
  referenceOf,
  schemaList,
  schemaMap,
  schemaMember,
} from '../contract/index.js'
import { isBare, literals, stringList, tellsOfOthers, typesOf } from './own-types.js'
import { schemaNotes } from './schema-notes.js'
import { docComment, group, indentRest, literalType, memberName } from './text.js'
import type { TypeNames } from './type-names.js'
import { anyJson, arrayOf, bracketed, intersection, never, type TypeText, tight, union } from './type-text.js'

/** Writes schemas as types, and remembers the names that a file must import for them. */
export interface TypeWriter {
  readonly contract: Contract
  readonly names: TypeNames
  /** Names used so far: components and other named schemas, `JsonValue`, `JsonObject`. */
  readonly used: Set<string>
}

/** The properties that the schemas around a branch declare: a branch may require them by name alone. */
type Properties = ReadonlyMap<string, LocatedSchema>
const none: Properties = new Map()

/** A writer for one file. */
export function createTypeWriter(contract: Contract, names: TypeNames): TypeWriter {
  return { contract, names, used: new Set() }
}

/** The type of the values that a schema allows, as narrow as TypeScript can say it. */
export function typeOf(writer: TypeWriter, located: LocatedSchema): TypeText {
  const type = schemaType(writer, located, none)
  noteNames(writer, type.text)
  return type
}

function schemaType(writer: TypeWriter, located: LocatedSchema, around: Properties = none): TypeText {
  const { schema } = located
  if (!isObject(schema)) return schema ? anyJson : never
  const properties = new Map([...around, ...schemaMap(located, 'properties')])
  const composed = composedTypes(writer, located, properties)
  const says = composed.some(({ text }) => text !== anyJson.text)
  const own = says && isBare(schema) ? [] : [ownType(writer, located, schema, around)]
  const [first, ...others] = composed
  const isBase = first !== undefined && referenceOf(schema) !== undefined
  const type = intersection(isBase ? [first, ...own, ...others] : [...own, ...composed])
  return member(schema, 'nullable') === true ? union([type, tight('null')]) : type
}

/** Remembers the names that a type's text holds: not all that were written stay, where any value swallows the rest. */
function noteNames({ names, used }: TypeWriter, text: string): void {
  const bare = text
    .replaceAll(/\/\*\*.*?\*\/|'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"/gs, '')
    .replaceAll(/[\p{ID_Continue}$]+\??:/gu, '')
  const words = new Set(bare.match(/[\p{ID_Continue}$]+/gu))
  for (const name of ['JsonObject', 'JsonValue', ...names.values()]) if (words.has(name)) used.add(name)
}

/** The types of what the schema refers to and of what it is composed of. */
function composedTypes(
  writer: TypeWriter,
  located: LocatedSchema,
  properties: Properties,
): readonly TypeText[] {
  const target = followed(located, writer.contract)
  const alternatives = ['anyOf', 'oneOf'].map((keyword) => schemaList(located, keyword))
  return [
    ...(target ? [named(writer, target)] : []),
    ...schemaList(located, 'allOf').map((part) => schemaType(writer, part, properties)),
    ...alternatives
      .filter((branches) => branches.length > 0)
      .map((branches) => union(branches.map((branch) => schemaType(writer, branch, properties)))),
  ]
}

function named(writer: TypeWriter, target: LocatedSchema): TypeText {
  const name = writer.names.get(target.pointer)
  if (name === undefined) return schemaType(writer, target)
  return tight(name)
}

/** The type by the schema's own keywords, references and compositions left aside. */
function ownType(
  writer: TypeWriter,
  located: LocatedSchema,
  schema: JsonObject,
  around: Properties,
): TypeText {
  const types = typesOf(schema)
  const values = literals(schema, types)
  if (values) return union(values.map((value) => tight(literalType(value))))
  if (!types) return anyJson
  return union(
    types.map((type) => {
      if (type === 'object') return objectType(writer, located, around)
      if (type === 'array') return arrayType(writer, located)
      return tight(type === 'integer' ? 'number' : type)
    }),
  )
}

function arrayType(writer: TypeWriter, located: LocatedSchema): TypeText {
  const every = schemaMember(located, 'items')
  if (every) return arrayOf(schemaType(writer, every))
  if (!isObject(located.schema) || !isArray(member(located.schema, 'items'))) return arrayOf(anyJson)
  const least = Number(member(located.schema, 'minItems') ?? 0)
  const most = Number(member(located.schema, 'maxItems') ?? Number.POSITIVE_INFINITY)
  if (most < least) return never
  const listed = schemaList(located, 'items')
  const items = listed.slice(0, most).map((item) => schemaType(writer, item))
  const end = items.findIndex(({ text }) => text === never.text)
  if (end >= 0 && end < least) return never
  const fixed = (end < 0 ? items : items.slice(0, end)).map((type, at) =>
    at < least ? type.text : `${bracketed(type)}?`,
  )
  const further = schemaMember(located, 'additionalItems')
  const rest = end >= 0 || most <= listed.length ? never : further ? schemaType(writer, further) : anyJson
  const spread = rest.text === never.text ? [] : [`...${arrayOf(rest).text.replace(/^readonly /, '')}`]
  return tight(`readonly ${group('[', [...fixed, ...spread], ']')}`)
}

function objectType(writer: TypeWriter, located: LocatedSchema, around: Properties): TypeText {
  const members = objectMembers(writer, located, around)
  if (members.length > 0) return tight(braces(members))
  const closed = isObject(located.schema) && member(located.schema, 'additionalProperties') === false
  if (closed) return tight('{ readonly [member: string]: never }')
  return tight('JsonObject')
}

/** The members of an object schema between braces, for an interface. */
export function interfaceBody(writer: TypeWriter, located: LocatedSchema): string {
  const body = block(objectMembers(writer, located, none))
  noteNames(writer, body)
  return body
}

function objectMembers(writer: TypeWriter, located: LocatedSchema, around: Properties): readonly string[] {
  const { schema } = located
  if (!isObject(schema)) return []
  const required = stringList(member(schema, 'required'))
  const properties = new Map(schemaMap(located, 'properties'))
  const additional = schemaMember(located, 'additionalProperties')
  const declared = [...properties].map(([name, property]) => ({
    name,
    type: schemaType(writer, property),
    optional: !required.includes(name),
    doc: docComment(schemaDoc(property.schema)),
  }))
  const requiredOnly = required
    .filter((name) => !properties.has(name))
    .sort()
    .map((name) => {
      const known = around.get(name) ?? additional
      return { name, type: known ? schemaType(writer, known) : anyJson, optional: false, doc: '' }
    })
  const members = [...declared, ...requiredOnly]
  const lines = members.map(
    ({ name, type, optional, doc }) =>
      `${doc}readonly ${memberName(name)}${optional ? '?' : ''}: ${type.text}`,
  )
  const index = indexSignature(writer, located, members)
  return index === undefined ? lines : [...lines, index]
}

/** A type for members that are not declared, wide enough for those that are; undefined where an interface says enough. */
function indexSignature(
  writer: TypeWriter,
  located: LocatedSchema,
  members: readonly { readonly type: TypeText; readonly optional: boolean }[],
): string | undefined {
  const isOpen = (inner: LocatedSchema) => schemaType(writer, inner).text === anyJson.text
  if (!tellsOfOthers(located, members.length > 0, isOpen)) return undefined
  const patterns = schemaMap(located, 'patternProperties').map(([, pattern]) => schemaType(writer, pattern))
  const additional = schemaMember(located, 'additionalProperties')
  const others = additional ? schemaType(writer, additional) : anyJson
  const all = union([...patterns, others, ...members.map(({ type }) => type)])
  const absent = members.some(({ optional }) => optional) ? ' | undefined' : ''
  return `readonly [member: string]: ${all.text}${absent}`
}

/** What the documentation of a schema says: its description, or its title, and what its type cannot say. */
export function schemaDoc(schema: LocatedSchema['schema']): readonly (string | undefined)[] {
  if (!isObject(schema)) return []
  const text = member(schema, 'description') ?? member(schema, 'title')
  const deprecated = member(schema, 'deprecated') === true ? '@deprecated' : undefined
  const notes = schemaNotes(schema).join(' ')
  return [typeof text === 'string' ? text : undefined, notes, deprecated]
}

function braces(lines: readonly string[]): string {
  const line = `{ ${lines.join('; ')} }`
  if (line.length <= 76 && !line.includes('\n')) return line
  return block(lines)
}

function block(lines: readonly string[]): string {
  return `{\n${lines.map((text) => `  ${indentRest(text)}\n`).join('')}}`
}
