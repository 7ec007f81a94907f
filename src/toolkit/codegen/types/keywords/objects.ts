// Keywords for objects: `properties`, `required`, `patternProperties`, `additionalProperties`, `propertyNames`,
// `minProperties` and `maxProperties` (draft-07 validation, section 6.5; 2020-12 core, section 10.3.2, and validation, section
// 6.5), and `unevaluatedProperties` (2020-12 core, section 11.3).

import { isObject, type LocatedSchema, member, schemaMap, schemaMember } from '../../../contract/index.js'
import { memberName } from '../../text.js'
import { code, type Keyword, range } from '../note-text.js'
import {
  anyJson,
  braces,
  declared,
  never,
  type Properties,
  type TypeText,
  tight,
  union,
  type WriteType,
} from '../type-writer.js'
import { stringList } from './any-type.js'
import { fixedPrefix, prefixedType } from './strings.js'

/** How the members of an object type are written. */
export interface WriteMember {
  readonly write: WriteType
  /** Returns the doc comment of a member with a schema. */
  readonly doc: (located: LocatedSchema) => string
}

/** Returns the type of the objects that a schema accepts. */
export function objectType(located: LocatedSchema, enclosing: Properties, parts: WriteMember): TypeText {
  const members = objectMembers(located, enclosing, parts)
  if (members.length > 0) return tight(braces(members))
  const closed = isObject(located.schema) && member(located.schema, 'additionalProperties') === false
  if (closed) return tight('Record<string, never>')
  return tight('JsonObject')
}

/** Returns the members of an object type, one text each. */
export function objectMembers(
  located: LocatedSchema,
  enclosing: Properties,
  { write, doc }: WriteMember,
): readonly string[] {
  const { schema } = located
  if (!isObject(schema)) return []
  const required = stringList(member(schema, 'required'))
  const properties = new Map(schemaMap(located, 'properties'))
  const additional = schemaMember(located, 'additionalProperties')
  const own = [...properties].map(([name, property]) => ({
    name,
    type: required.includes(name) ? write(property) : optionalType(name, write(property)),
    optional: !required.includes(name),
    doc: doc(property),
  }))
  const requiredOnly = required
    .filter((name) => !properties.has(name))
    .sort()
    .map((name) => {
      const known = enclosing.get(name) ?? additional
      return { name, type: known ? write(known) : anyJson, optional: false, doc: '' }
    })
  const members = [...own, ...requiredOnly]
  const lines = members.map(
    ({ name, type, optional, doc }) =>
      `${doc}readonly ${memberName(name)}${optional ? '?' : ''}:${declared(type, 100)}`,
  )
  return [...lines, ...indexLines(located, members, write)]
}

/** Members of Object.prototype in TypeScript's library. */
const inherited: ReadonlySet<string> = new Set(
  'constructor hasOwnProperty isPrototypeOf propertyIsEnumerable toLocaleString toString valueOf'.split(' '),
)

/** Returns the type of an optional member, including an inherited member of the same name. */
export function optionalType(name: string, type: TypeText): TypeText {
  if (!inherited.has(name)) return type
  const own = `Object['${name}']`
  if (type.text !== anyJson.text) return union([type, tight(own)])
  return { text: `${type.text} | ${own}`, binds: 'union', members: [type.text, own] }
}

/** Returns the index signatures of an object type, which are compatible with the declared members that they cover. */
function indexLines(
  located: LocatedSchema,
  members: readonly { readonly name: string; readonly type: TypeText; readonly optional: boolean }[],
  write: WriteType,
): readonly string[] {
  const isAny = (inner: LocatedSchema) => write(inner).text === anyJson.text
  const names = members.map(({ name }) => name)
  return indexSignatures(located, names, isAny).map(({ key, covers, schemas, isOpen }) => {
    const own = schemas.map((schema) => write(schema))
    const covered = members.filter(({ name }) => covers(name))
    const all = signatureType(
      union([...own, ...(isOpen ? [anyJson] : [])]),
      covered.map(({ type }) => type),
    )
    const absent = covered.some(({ optional }) => optional) ? ' | undefined' : ''
    return `readonly [member: ${key}]: ${all.text}${absent}`
  })
}

/**
 * Returns the type of an index signature: the union of its own type and the types of the members that it covers. A
 * union with `JsonValue` keeps interfaces, which are not assignable to it.
 */
function signatureType(own: TypeText, covered: readonly TypeText[]): TypeText {
  const all = union([own, ...covered])
  if (all.text !== anyJson.text) return all
  const parts = covered.flatMap(({ text, members = [text] }) => members.map(tight))
  const others = union(parts.filter(({ text }) => text !== anyJson.text))
  return others.text === never.text ? all : tight(`${all.text} | ${others.text}`)
}

/** An index signature of an object type: the names that it covers, and the schemas of members with such names. */
export interface IndexSignature {
  /** The type of the names: `string`, or a template such as `x-${string}`. */
  readonly key: string
  readonly covers: (name: string) => boolean
  readonly schemas: readonly LocatedSchema[]
  /** True if a member may have any type. */
  readonly isOpen: boolean
}

/**
 * Returns the index signatures of an object type (JSON Schema draft-07 validation, sections 6.5.5 and 6.5.6). A pattern
 * that fixes how a name begins gives a signature of its own. An interface with declared members needs none for additional
 * members that can have any type.
 * @param declared names of the declared members
 * @param isOpen returns true if the type of a schema is that of any value
 */
export function indexSignatures(
  located: LocatedSchema,
  declared: readonly string[],
  isOpen: (schema: LocatedSchema) => boolean,
): readonly IndexSignature[] {
  const patterns = schemaMap(located, 'patternProperties')
  const additional = schemaMember(located, 'additionalProperties')
  const prefixed = prefixSignatures(patterns, declared, additional?.schema, isOpen)
  if (prefixed !== undefined) return prefixed
  const schemas = patterns.map(([, schema]) => schema)
  if (schemas.length === 0 && (!additional || typeof additional.schema === 'boolean')) return []
  if (declared.length > 0 && (additional === undefined || [additional, ...schemas].some(isOpen))) return []
  const all = additional === undefined ? schemas : [...schemas, additional]
  return [{ key: 'string', covers: () => true, schemas: all, isOpen: additional === undefined }]
}

/**
 * Returns a signature for each pattern of names, by its fixed beginning. If a pattern has no fixed beginning, or if
 * names of other members can begin in the same way, it returns undefined. Then one signature for all names is needed.
 */
function prefixSignatures(
  patterns: readonly (readonly [string, LocatedSchema])[],
  declared: readonly string[],
  additional: LocatedSchema['schema'] | undefined,
  isOpen: (schema: LocatedSchema) => boolean,
): readonly IndexSignature[] | undefined {
  const isClosed = additional === false
  const mayBeAny = declared.length > 0 && (additional === undefined || additional === true)
  if (patterns.length === 0 || !(isClosed || mayBeAny)) return undefined
  const byPrefix = new Map<string, LocatedSchema[]>()
  for (const [pattern, schema] of patterns) {
    const { prefix, rest } = fixedPrefix(pattern)
    if (prefix === '' || rest === '$' || !(isClosed || rest === '' || rest === '.*')) return undefined
    byPrefix.set(prefix, [...(byPrefix.get(prefix) ?? []), schema])
  }
  const prefixes = [...byPrefix.keys()]
  if (prefixes.some((one) => prefixes.some((other) => other !== one && other.startsWith(one))))
    return undefined
  const signatures = [...byPrefix].map(([prefix, schemas]) => ({
    key: prefixedType(prefix),
    covers: (name: string) => name.startsWith(prefix),
    schemas,
    isOpen: false,
  }))
  // The type of any JSON value has no place for members with types of their own.
  return signatures.filter(({ covers, schemas }) => !(declared.some(covers) && schemas.some(isOpen)))
}

/** Describes how many members an object has, and their names. */
export function sizeNotes(value: Keyword): readonly string[] {
  return [
    range('Members', value('minProperties'), value('maxProperties')),
    value('propertyNames') === undefined ? '' : 'The names of members are validated.',
  ]
}

/** Describes members that are not declared by name. */
export function memberNotes(value: Keyword): readonly string[] {
  const patterns = value('patternProperties')
  const isClosed = value('additionalProperties') === false || value('unevaluatedProperties') === false
  return [
    ...(isObject(patterns) ? Object.keys(patterns) : []).map(
      (pattern) => `Members whose name matches ${code(pattern)} have a separate schema.`,
    ),
    isClosed && (isObject(value('properties')) || isObject(patterns)) ? 'No further members.' : '',
  ]
}
