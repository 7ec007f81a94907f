import {
  followed,
  isObject,
  type JsonObject,
  type LocatedSchema,
  member,
  referenceOf,
  schemaList,
  schemaMap,
  schemaMember,
  tupleKeywords,
} from '../../contract/index.js'
import { docComment, indentRest, literalType, memberName } from '../text.js'
import { conditionMembers } from './condition-type.js'
import { quantityKind } from './decode-plan.js'
import { tupleText, uniformType } from './list-type.js'
import { indexSignatures, isBare, literals, stringList, typesOf } from './own-types.js'
import { patternType } from './pattern-type.js'
import { schemaNotes } from './schema-notes.js'
import {
  anyJson,
  arrayOf,
  bracketed,
  declared,
  hasLiterals,
  intersection,
  never,
  type TypeText,
  type TypeWriter,
  tight,
  union,
} from './type-writer.js'

/** Properties of the enclosing schemas. A branch can require them without declaring them. */
type Properties = ReadonlyMap<string, LocatedSchema>
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

/** Returns true for a schema that is written inline and has a name. A part of it at the same place has none. */
function isNamedInline({ names }: TypeWriter, { pointer, schema }: LocatedSchema): boolean {
  return names.inline.get(pointer)?.schema === schema
}

function unnamedType(writer: TypeWriter, located: LocatedSchema, enclosing: Properties): TypeText {
  const { schema } = located
  if (!isObject(schema)) return schema ? anyJson : never
  const quantity = writer.isDecoded ? quantityType(located) : undefined
  if (quantity !== undefined) return quantity
  const properties = new Map([...enclosing, ...schemaMap(located, 'properties')])
  const composed = composedTypes(writer, located, properties)
  const says = composed.some(({ text }) => text !== anyJson.text)
  const own = says && isBare(schema) ? [] : [ownType(writer, located, schema, enclosing)]
  const [first, ...others] = composed
  const isBase = first !== undefined && referenceOf(schema) !== undefined
  const conditions = conditionType(writer, located, enclosing)
  const type = intersection([...(isBase ? [first, ...own, ...others] : [...own, ...composed]), ...conditions])
  return member(schema, 'nullable') === true ? union([type, tight('null')]) : type
}

/** Returns the type of a decoded quantity. */
function quantityType(located: LocatedSchema): TypeText | undefined {
  const kind = quantityKind(located)
  if (kind === undefined || !isObject(located.schema)) return undefined
  const values = kind === 'number' ? literals(located.schema, typesOf(located.schema)) : undefined
  if (values) return union(values.map((value) => tight(String(Number(value)))))
  return kind === 'either' ? union([tight('bigint'), tight('number')]) : tight(kind)
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

/** Returns the union of the cases that the conditions of an object schema distinguish, if there is one. */
function conditionType(
  writer: TypeWriter,
  located: LocatedSchema,
  enclosing: Properties,
): readonly TypeText[] {
  const cases = conditionMembers(writer, located, enclosing, (inner) => schemaType(writer, inner))
  if (cases.length === 0) return []
  const all = union(cases.map((members) => tight(braces(members))))
  return all.members && all.text.length > 90 ? [tight(`(${declared(all, 0)}\n)`)] : [all]
}

/** Returns true if the type of a schema has conditions beside its own members. */
export function hasConditions(writer: TypeWriter, located: LocatedSchema): boolean {
  return conditionType(writer, located, none).length > 0
}

/** Returns the types of the referenced schema and of `allOf`, `anyOf` and `oneOf`. */
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
      .map((branches) => union(branchTypes(writer, branches, properties))),
  ]
}

/** Returns the types of alternatives. Names of plain strings are kept apart from literals for completion. */
function branchTypes(
  writer: TypeWriter,
  branches: readonly LocatedSchema[],
  properties: Properties,
): readonly TypeText[] {
  const types = branches.map((branch) => schemaType(writer, branch, properties))
  const resolved = branches.map((branch, at) => {
    const target = followed(branch, writer.contract)
    return target && isPlainScalar(target) ? schemaType(writer, target) : types[at]
  })
  if (!resolved.some((type) => type && hasLiterals(type))) return types
  return types.map((type, at) =>
    resolved[at]?.text === 'string' && type.text !== 'string' ? tight(`(${type.text} & {})`) : type,
  )
}

function isPlainScalar({ schema }: LocatedSchema): boolean {
  return isObject(schema) && ['string', 'integer', 'number'].includes(String(member(schema, 'type')))
}

function named(writer: TypeWriter, target: LocatedSchema): TypeText {
  const name = writer.names.get(target.pointer)
  if (name === undefined) return schemaType(writer, target)
  return tight(name)
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
      if (type === 'object') return objectType(writer, located, enclosing)
      if (type === 'array') return arrayType(writer, located)
      if (type === 'string') return tight(stringType(schema))
      return tight(type === 'integer' ? 'number' : type)
    }),
  )
}

function stringType(schema: JsonObject): string {
  const pattern = member(schema, 'pattern')
  return typeof pattern === 'string' ? patternType(pattern) : 'string'
}

function arrayType(writer: TypeWriter, located: LocatedSchema): TypeText {
  const every = schemaMember(located, 'items')
  if (every) return uniformType(writer, located, schemaType(writer, every))
  if (!isObject(located.schema) || tupleKeywords(located.schema) === undefined)
    return uniformType(writer, located, anyJson)
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
  return tight(tupleText([...fixed, ...spread]))
}

function objectType(writer: TypeWriter, located: LocatedSchema, enclosing: Properties): TypeText {
  const members = objectMembers(writer, located, enclosing)
  if (members.length > 0) return tight(braces(members))
  const closed = isObject(located.schema) && member(located.schema, 'additionalProperties') === false
  if (closed) return tight('Record<string, never>')
  return tight('JsonObject')
}

/** Returns the members of an object schema in braces, for an interface. */
export function interfaceBody(writer: TypeWriter, located: LocatedSchema): string {
  const body = block(objectMembers(writer, located, none))
  recordNames(writer, body)
  return body
}

function objectMembers(writer: TypeWriter, located: LocatedSchema, enclosing: Properties): readonly string[] {
  const { schema } = located
  if (!isObject(schema)) return []
  const required = stringList(member(schema, 'required'))
  const properties = new Map(schemaMap(located, 'properties'))
  const additional = schemaMember(located, 'additionalProperties')
  const own = [...properties].map(([name, property]) => ({
    name,
    type: schemaType(writer, property),
    optional: !required.includes(name),
    doc: docComment(useDoc(writer, property)),
  }))
  const requiredOnly = required
    .filter((name) => !properties.has(name))
    .sort()
    .map((name) => {
      const known = enclosing.get(name) ?? additional
      return { name, type: known ? schemaType(writer, known) : anyJson, optional: false, doc: '' }
    })
  const members = [...own, ...requiredOnly]
  const lines = members.map(
    ({ name, type, optional, doc }) =>
      `${doc}readonly ${memberName(name)}${optional ? '?' : ''}:${declared(type, 100)}`,
  )
  return [...lines, ...indexLines(writer, located, members)]
}

/** Returns the index signatures of an object type, which are compatible with the declared members that they cover. */
function indexLines(
  writer: TypeWriter,
  located: LocatedSchema,
  members: readonly { readonly name: string; readonly type: TypeText; readonly optional: boolean }[],
): readonly string[] {
  const isAny = (inner: LocatedSchema) => schemaType(writer, inner).text === anyJson.text
  const names = members.map(({ name }) => name)
  return indexSignatures(located, names, isAny).map(({ key, covers, schemas, isOpen }) => {
    const own = schemas.map((schema) => schemaType(writer, schema))
    const covered = members.filter(({ name }) => covers(name))
    const all = union([...own, ...(isOpen ? [anyJson] : []), ...covered.map(({ type }) => type)])
    const absent = covered.some(({ optional }) => optional) ? ' | undefined' : ''
    return `readonly [member: ${key}]: ${all.text}${absent}`
  })
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

function braces(lines: readonly string[]): string {
  const line = `{ ${lines.join('; ')} }`
  if (line.length <= 76 && !line.includes('\n')) return line
  return block(lines)
}

function block(lines: readonly string[]): string {
  return `{\n${lines.map((text) => `  ${indentRest(text)}\n`).join('')}}`
}
