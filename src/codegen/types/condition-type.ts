import {
  followed,
  isObject,
  type LocatedSchema,
  member,
  schemaList,
  schemaMap,
} from '../../contract/index.js'
import { memberName } from '../text.js'
import { type Case, conditionCases, type MemberCase } from './condition-cases.js'
import { stringList, typesOf } from './own-types.js'
import { alternatives, relation } from './schema-relation.js'
import { anyJson, intersection, never, type TypeText, union } from './type-text.js'
import type { TypeWriter } from './type-writer.js'

/** Writes the type of a schema. */
type Write = (located: LocatedSchema) => TypeText

/** The members that the schema of an object declares. */
interface Declared {
  readonly properties: ReadonlyMap<string, LocatedSchema>
  readonly required: ReadonlySet<string>
}

/** The members of one case: the type of each, and whether it may be absent. */
type Members = ReadonlyMap<string, { readonly type: TypeText; readonly isOptional: boolean }>

/**
 * Returns the members of each case that the conditions of an object schema distinguish, for a union of object
 * types beside the schema's own type.
 * @param enclosing properties of the enclosing schemas
 * @returns an empty list if the conditions say nothing that types can express
 */
export function conditionMembers(
  writer: TypeWriter,
  located: LocatedSchema,
  enclosing: ReadonlyMap<string, LocatedSchema>,
  write: Write,
): readonly (readonly string[])[] {
  const { schema } = located
  if (!isObject(schema) || typesOf(schema)?.join() !== 'object') return []
  const cases = conditionCases(writer.contract, located)
  if (cases.some((one) => one.size === 0)) return []
  const declared = declaredMembers(writer, located, enclosing)
  const found = cases.map((one) => caseMembers(writer, declared, one, write))
  const all = found.filter((members) => members !== undefined).reduce(withCase, [])
  if (all.some((members) => members.size === 0)) return []
  return all.map((members) =>
    [...members].map(
      ([name, { type, isOptional }]) => `readonly ${memberName(name)}${isOptional ? '?' : ''}: ${type.text}`,
    ),
  )
}

/** Adds a case. Two cases that differ in one member, which one of them lacks, become one case. */
function withCase(all: readonly Members[], added: Members): readonly Members[] {
  const merged = all.map((known) => mergedCase(known, added))
  if (merged.every((one) => one === undefined)) return [...all, added]
  return all.map((known, at) => merged[at] ?? known)
}

function mergedCase(one: Members, other: Members): Members | undefined {
  const text = (members: Members, name: string) => JSON.stringify(members.get(name))
  const differing = [...new Set([...one.keys(), ...other.keys()])].filter(
    (name) => text(one, name) !== text(other, name),
  )
  const [name, ...more] = differing
  if (name === undefined) return one
  const types = [one.get(name)?.type, other.get(name)?.type]
  const known = types.find((type) => type !== undefined && type.text !== never.text)
  const isAbsentOnce = types.some((type) => type?.text === never.text)
  if (more.length > 0 || !known || !isAbsentOnce) return undefined
  return new Map([...one, [name, { type: known, isOptional: true }]])
}

/** Returns the members of one case, or undefined if no object matches it. */
function caseMembers(writer: TypeWriter, declared: Declared, one: Case, write: Write): Members | undefined {
  const members = new Map<string, { type: TypeText; isOptional: boolean }>()
  for (const [name, found] of one) {
    // Every object inherits these names, so TypeScript would compare the inherited member.
    if (name in {}) continue
    const schema = declared.properties.get(name)
    const type = found.presence === 'absent' ? never : memberType(writer, schema, found, write)
    const isRequired = declared.required.has(name)
    const isPresent = isRequired || found.presence === 'present'
    if (type.text === never.text && isPresent) return undefined
    const isKnown = isPresent === isRequired && type.text === (schema ? write(schema) : anyJson).text
    if (!isKnown) members.set(name, { type, isOptional: !isPresent })
  }
  return members
}

function memberType(
  writer: TypeWriter,
  schema: LocatedSchema | undefined,
  { holds }: MemberCase,
  write: Write,
): TypeText {
  if (schema) return narrowed(writer, schema, holds, write, 0)
  return intersection(holds.filter(({ matches }) => matches).map((one) => write(one.schema)))
}

/** Nesting of references beyond which a type is not narrowed. */
const mostNesting = 16

/** Returns the type of the values of a schema that match the given conditions. */
function narrowed(
  writer: TypeWriter,
  located: LocatedSchema,
  holds: MemberCase['holds'],
  write: Write,
  depth: number,
): TypeText {
  const open = holds.filter(({ schema, matches }) => {
    return relation(writer.contract, located, schema) !== (matches ? 'all' : 'none')
  })
  if (open.length === 0) return write(located)
  const isExcluded = open.some(({ schema, matches }) => {
    return relation(writer.contract, located, schema) === (matches ? 'none' : 'all')
  })
  if (isExcluded) return never
  const parts = depth < mostNesting ? alternatives(writer.contract, located) : []
  if (parts.length > 0) return union(parts.map((part) => narrowed(writer, part, open, write, depth + 1)))
  const type = write(located)
  if (type.text !== anyJson.text) return type
  return intersection(open.filter(({ matches }) => matches).map(({ schema }) => write(schema)))
}

/** Returns the members that a schema declares itself, through references and through `allOf`. */
function declaredMembers(
  writer: TypeWriter,
  located: LocatedSchema,
  enclosing: ReadonlyMap<string, LocatedSchema>,
): Declared {
  const properties = new Map(enclosing)
  const required = new Set<string>()
  const seen = new Set<string>()
  const visit = (here: LocatedSchema) => {
    if (seen.has(here.pointer)) return
    seen.add(here.pointer)
    const target = followed(here, writer.contract)
    for (const part of [...(target ? [target] : []), ...schemaList(here, 'allOf')]) visit(part)
    for (const [name, schema] of schemaMap(here, 'properties')) properties.set(name, schema)
    for (const name of isObject(here.schema) ? stringList(member(here.schema, 'required')) : [])
      required.add(name)
  }
  visit(located)
  return { properties, required }
}
