// Keywords that apply schemas conditionally: `if`, `then` and `else` (draft-07 validation, section 6.6; 2020-12 core, section
// 10.2.2). The cases that they distinguish become a union of object types, together with those of other keywords.

import {
  type Contract,
  followed,
  isAnnotation,
  isObject,
  type LocatedSchema,
  member,
  schemaList,
  schemaMap,
  schemaMember,
} from '../../../contract/index.js'
import { memberName } from '../../text.js'
import {
  anything,
  type Case,
  limited,
  type MemberCase,
  memberDiffers,
  memberMatches,
  presence,
  product,
} from '../condition-cases.js'
import type { Keyword } from '../note-text.js'
import { alternatives, relation } from '../schema-relation.js'
import {
  anyJson,
  braces,
  declared,
  intersection,
  never,
  type Properties,
  type TypeText,
  type TypeWriter,
  tight,
  union,
  type WriteType,
} from '../type-writer.js'
import { stringList, typesOf } from './any-type.js'
import { dependencyCases } from './dependencies.js'

/** Returns the union of the cases that the conditions of an object schema distinguish, if there is one. */
export function conditionType(
  writer: TypeWriter,
  located: LocatedSchema,
  enclosing: Properties,
  write: WriteType,
): readonly TypeText[] {
  const cases = conditionMembers(writer, located, enclosing, (inner) => write(inner))
  if (cases.length === 0) return []
  const all = union(cases.map((members) => tight(braces(members))))
  return all.members && all.text.length > 90 ? [tight(`(${declared(all, 0)}\n)`)] : [all]
}

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
function conditionMembers(
  writer: TypeWriter,
  located: LocatedSchema,
  enclosing: ReadonlyMap<string, LocatedSchema>,
  write: WriteType,
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
function caseMembers(
  writer: TypeWriter,
  declared: Declared,
  one: Case,
  write: WriteType,
): Members | undefined {
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
  write: WriteType,
): TypeText {
  if (schema) return narrowed(writer, schema, holds, write, 0)
  return intersection(holds.filter(({ matches }) => matches).map((one) => write(one.schema)))
}

/** Returns the type of the values of a schema that match the given conditions. */
function narrowed(
  writer: TypeWriter,
  located: LocatedSchema,
  holds: MemberCase['holds'],
  write: WriteType,
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

/** Nesting of references beyond which conditions say nothing, and types are not narrowed. */
const mostNesting = 16

/**
 * Returns the cases that the conditions of an object schema distinguish: `if`, `not`, `oneOf` between
 * conditions, and dependencies (JSON Schema draft-07 validation, sections 6.5 to 6.7). Every valid object
 * matches at least one of them. Conditions that are not understood say nothing.
 */
function conditionCases(contract: Contract, located: LocatedSchema): readonly Case[] {
  const forms = schemaList(located, 'oneOf')
  const keywords = ['if', 'not', 'dependencies', 'dependentRequired']
  if (forms.length > 1 && forms.every(isCondition)) keywords.push('oneOf')
  return product(keywords.map((keyword) => keywordCases(contract, located, keyword, 0)))
}

/** Returns true for a schema that only speaks of members that another schema declares. */
function isCondition({ schema }: LocatedSchema): boolean {
  if (!isObject(schema)) return false
  const conditions = ['required', 'properties', 'not']
  const isOwn = (name: string) => conditions.includes(name) || isAnnotation(name)
  return Object.keys(schema).every(isOwn) && conditions.some((name) => member(schema, name) !== undefined)
}

function cases(contract: Contract, located: LocatedSchema, depth: number): readonly Case[] {
  const { schema } = located
  if (depth > mostNesting) return anything
  if (!isObject(schema)) return schema ? anything : []
  const keywords = Object.keys(schema)
  return product(keywords.map((keyword) => keywordCases(contract, located, keyword, depth + 1)))
}

function keywordCases(
  contract: Contract,
  located: LocatedSchema,
  keyword: string,
  depth: number,
): readonly Case[] {
  const inner = schemaMember(located, keyword)
  const listed = schemaList(located, keyword)
  switch (keyword) {
    case '$ref': {
      const target = followed(located, contract)
      return target ? cases(contract, target, depth) : anything
    }
    case 'required':
      return product(required(located).map((name) => [presence(name, 'present')]))
    case 'properties':
      return product(schemaMap(located, 'properties').map(([name, schema]) => [memberMatches(name, schema)]))
    case 'allOf':
      return product(listed.map((part) => cases(contract, part, depth)))
    case 'anyOf':
      return listed.length === 0 ? anything : limited(listed.flatMap((part) => cases(contract, part, depth)))
    case 'oneOf':
      return listed.length === 0 ? anything : exclusiveCases(contract, listed, depth)
    case 'not':
      return inner ? otherCases(contract, inner, depth) : anything
    case 'if':
      return inner ? conditional(contract, located, inner, depth) : anything
    case 'dependencies':
    case 'dependentRequired':
      return dependencyCases(located, keyword)
    default:
      return anything
  }
}

/** Returns the cases of objects that a schema refuses. */
function otherCases(contract: Contract, located: LocatedSchema, depth: number): readonly Case[] {
  const { schema } = located
  if (depth > mostNesting) return anything
  if (!isObject(schema)) return schema ? [] : anything
  const found = Object.keys(schema).flatMap((keyword) => otherKeyword(contract, located, keyword, depth + 1))
  return limited(found)
}

function otherKeyword(
  contract: Contract,
  located: LocatedSchema,
  keyword: string,
  depth: number,
): readonly Case[] {
  const inner = schemaMember(located, keyword)
  const listed = schemaList(located, keyword)
  const others = () => listed.map((part) => otherCases(contract, part, depth))
  if (isAnnotation(keyword)) return []
  switch (keyword) {
    case '$ref': {
      const target = followed(located, contract)
      return target ? otherCases(contract, target, depth) : anything
    }
    case 'type':
      return isObject(located.schema) && member(located.schema, 'type') === 'object' ? [] : anything
    case 'required':
      return required(located).map((name) => presence(name, 'absent'))
    case 'properties':
      return schemaMap(located, 'properties').map(([name, value]) => memberDiffers(name, value))
    case 'allOf':
      return limited(others().flat())
    case 'anyOf':
      return product(others())
    case 'not':
      return inner ? cases(contract, inner, depth) : anything
    default:
      return anything
  }
}

/** Returns the cases of `oneOf`: one form matches, and no other form does. */
function exclusiveCases(contract: Contract, forms: readonly LocatedSchema[], depth: number): readonly Case[] {
  return limited(
    forms.flatMap((form) => {
      const others = forms.filter((other) => other !== form)
      return product([
        cases(contract, form, depth),
        ...others.map((other) => otherCases(contract, other, depth)),
      ])
    }),
  )
}

function conditional(
  contract: Contract,
  located: LocatedSchema,
  condition: LocatedSchema,
  depth: number,
): readonly Case[] {
  const branch = (keyword: string) => {
    const schema = schemaMember(located, keyword)
    return schema ? cases(contract, schema, depth) : anything
  }
  return limited([
    ...product([cases(contract, condition, depth), branch('then')]),
    ...product([otherCases(contract, condition, depth), branch('else')]),
  ])
}

function required({ schema }: LocatedSchema): readonly string[] {
  return isObject(schema) ? stringList(member(schema, 'required')) : []
}

/** Says that conditions apply. */
export function conditionNotes(value: Keyword): readonly string[] {
  return value('if') === undefined ? [] : ['Further conditions apply.']
}
