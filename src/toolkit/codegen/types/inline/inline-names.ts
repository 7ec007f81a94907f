import {
  type Contract,
  followed,
  isArray,
  isObject,
  type JsonValue,
  type LocatedSchema,
  member,
  subschemas,
} from '../../../contract/index.js'
import { freeName, isFreeName, pascalName } from '../identifiers.js'
import { countedItems, resultSchemas } from '../keywords/arrays.js'
import { bodyOf } from '../schema-type.js'
import { createTypeWriter, type InlineSchema, TypeNames, type TypeText } from '../type-writer.js'
import { type InlinePlace, inlinePlaces, isNullable, isSelfContained } from './inline-places.js'

/** Equal inline schemas, which share one name. */
interface Group {
  readonly shape: number
  readonly places: InlinePlace[]
  readonly title: string | undefined
  naming: Naming
}

/**
 * Names the inline schemas of a contract. A schema whose type is more than a word is named after its title, if no
 * different schema has that title, and otherwise after its place. The order of methods is irrelevant.
 * @param given the type names of components and of other targets of references, by pointer
 * @returns these names and those of inline schemas
 */
export function withInlineNames(contract: Contract, given: ReadonlyMap<string, string>): TypeNames {
  const shapeOf = createShapes(contract)
  const groups = groupsOf(contract, given, shapeOf)
  const taken = new Set(given.values())
  const params = paramsNames(contract, taken)
  const titles = freeTitles(groups, taken)
  const nameOf = createPlaceNames(groups, titles)
  const components = new Map(contract.schemas.map((schema) => [shapeOf(schema), schema]))
  for (const title of titles) taken.add(title)
  const names = new Map(given)
  const inline = new Map<string, InlineSchema>()
  const aliases = new Map<string, string>()
  const freed = (place: InlinePlace) => freeName(usable(nameOf(place)), taken)
  for (const group of sorted(groups, nameOf)) {
    const [first] = group.places
    const title = group.title !== undefined && titles.has(group.title) ? group.title : undefined
    if (!first || (title === undefined && group.naming === 'title')) continue
    const component = group.naming === 'place' ? components.get(group.shape) : undefined
    const name = (component && given.get(component.pointer)) ?? title ?? freed(first)
    const declared = component ?? declaredSchema(group.places)
    taken.add(name)
    for (const { located } of group.places) {
      names.set(located.pointer, name)
      inline.set(located.pointer, { schema: located.schema, declared })
    }
    if (title !== undefined) continue
    const others = new Map(group.places.map((place) => [nameOf(place), place]))
    for (const place of others.values()) {
      const alias = nameOf(place) === nameOf(first) && !component ? name : freed(place)
      taken.add(alias)
      if (alias !== name) aliases.set(alias, name)
    }
  }
  return new TypeNames(names, { inline, params, aliases })
}

/** Names the parameters of each method that has any: `GetEventsParams`. */
function paramsNames({ methods }: Contract, taken: Set<string>): ReadonlyMap<string, string> {
  const withParams = methods.filter(({ params }) => params.length > 0).map(({ name }) => name)
  return new Map(
    withParams.sort().map((method) => {
      const name = freeName(usable(`${pascalName(method)}Params`), taken)
      taken.add(name)
      return [method, name]
    }),
  )
}

/** Collects the equal schemas that can have a name. */
function groupsOf(
  contract: Contract,
  given: ReadonlyMap<string, string>,
  shapeOf: ShapeOf,
): readonly Group[] {
  const plain = createTypeWriter(contract, new TypeNames(given))
  const groups = new Map<number, Group>()
  for (const place of inlinePlaces(contract, given)) {
    const naming = namingOf(place, bodyOf(plain, place.located), plain.known)
    if (naming === undefined) continue
    const shape = shapeOf(place.located)
    const group = groups.get(shape) ?? { shape, places: [], title: place.title, naming }
    group.places.push(place)
    if (naming === 'place') group.naming = naming
    groups.set(shape, group)
  }
  return [...groups.values()]
}

/** Returns the titles that only one group has, and that are free. */
function freeTitles(groups: readonly Group[], taken: ReadonlySet<string>): ReadonlySet<string> {
  const counts = new Map<string, number>()
  for (const { title } of groups) if (title !== undefined) counts.set(title, (counts.get(title) ?? 0) + 1)
  const free = [...counts].filter(([title, count]) => count === 1 && isFreeName(title) && !taken.has(title))
  return new Set(free.map(([title]) => title))
}

/** Returns a function that derives the name of a place from the nearest schema with a title, or from its method. */
function createPlaceNames(
  groups: readonly Group[],
  titles: ReadonlySet<string>,
): (place: InlinePlace) => string {
  const titled = new Map<InlinePlace, string>()
  for (const { title, places } of groups) {
    if (title !== undefined && titles.has(title)) for (const place of places) titled.set(place, title)
  }
  const known = new Map<InlinePlace, string>()
  const nameOf = (place: InlinePlace): string => {
    const { parent, word } = place
    const name = known.get(place) ?? (parent ? (titled.get(parent) ?? nameOf(parent)) : '') + word
    known.set(place, name)
    return name
  }
  return nameOf
}

/** Sorts equal schemas, and the groups of equal schemas, in an order that does not depend on the document's. */
function sorted(groups: readonly Group[], nameOf: (place: InlinePlace) => string): readonly Group[] {
  const order = (one: InlinePlace, other: InlinePlace) =>
    one.depth - other.depth || compared(nameOf(one), nameOf(other)) || compared(one.path, other.path)
  for (const { places } of groups) places.sort(order)
  const firsts = groups.flatMap((group) => group.places.slice(0, 1).map((first) => ({ group, first })))
  return firsts.sort((one, other) => order(one.first, other.first)).map(({ group }) => group)
}

function compared(one: string, other: string): number {
  return one < other ? -1 : Number(one > other)
}

/** Returns the first schema, without its description if the others have different ones. */
function declaredSchema(places: readonly InlinePlace[]): LocatedSchema {
  const descriptions = new Set(
    places.map(({ located: { schema } }) => isObject(schema) && schema['description']),
  )
  const first = places[0]?.located ?? { pointer: '', schema: true }
  if (descriptions.size < 2 || !isObject(first.schema)) return first
  const { description, ...schema } = first.schema
  return { pointer: first.pointer, schema }
}

/** Appends `_` to a name that TypeScript or generated files use. */
function usable(name: string): string {
  return isFreeName(name) ? name : `${name}_`
}

/** Names a schema after its title alone, or after its place if it has no title that can be the name. */
export type Naming = 'title' | 'place'

/** Types that say everything about their values. */
const plainTypes = ['JsonObject', 'JsonValue', 'boolean', 'never', 'null']

/** Keywords beside which a title says nothing more than a type. */
const bareKeywords = new Set(['type', 'title', 'examples', 'default', '$comment'])

/**
 * Decides whether a schema that is written inline gets a name.
 * - Objects with members, and compositions of them, always have one. So have unions and tuples that are items,
 *   parameters or results.
 * - Strings, numbers, other lists, maps and unions have one if they have a title.
 * - Objects among the forms of `anyOf` or `oneOf` have one. Objects in `allOf` have one if they have a title.
 * @param body the type of the schema, with the schemas inside written inline
 * @param names the names of components
 */
function namingOf(
  place: InlinePlace,
  { text, binds }: TypeText,
  names: ReadonlySet<string>,
): Naming | undefined {
  const { role, title, located } = place
  if (plainTypes.includes(text) || names.has(text)) return undefined
  const hasMembers = /\{\s*(?:\/\*\*|readonly (?!\[))/.test(text)
  const byTitle = title === undefined ? undefined : 'title'
  if (role === 'form' || role === 'part') {
    if (!hasMembers || !isSelfContained(place)) return undefined
    return role === 'form' && !isNullable(located) ? 'place' : byTitle
  }
  if (isNullable(located)) return byTitle
  const isList = binds === 'tight' && /^readonly .*\[\]$/s.test(text)
  if (isList) return role === 'result' && hasMembers ? 'place' : byTitle
  if (hasMembers) return 'place'
  const isPart = role === 'item' || role === 'param' || role === 'result'
  const isTuple = text.startsWith('readonly [')
  if (isTuple || partCount(text, binds) > 1) return isPart ? 'place' : byTitle
  const { schema } = located
  const isBare = isObject(schema) && Object.keys(schema).every((keyword) => bareKeywords.has(keyword))
  return isBare || member(isObject(schema) ? schema : {}, '$ref') !== undefined ? undefined : byTitle
}

/** Returns the number of types that a union or an intersection consists of, apart from null. */
function partCount(text: string, binds: TypeText['binds']): number {
  if (binds === 'tight') return 1
  return text.split(/ [|&] /).filter((part) => part !== 'null').length
}

/** Returns a number for a schema. Schemas that are equal, apart from their own description, have the same number. */
export type ShapeOf = (located: LocatedSchema) => number

/** Keywords that neither the type of a schema nor its doc comment shows. */
const unseen = ['$comment', 'default', 'examples']

/**
 * Compares the schemas of a contract, each once. The order of members is irrelevant, and so are examples, defaults and
 * comments. References are equal if their targets are.
 */
function createShapes(contract: Contract): ShapeOf {
  const shapes = new Map<string, number>()
  const numbers = new Map<string, number>()

  function numberOf(text: string): number {
    const number = numbers.get(text) ?? numbers.size
    numbers.set(text, number)
    return number
  }

  function shapeOf(located: LocatedSchema): number {
    const shape = shapes.get(located.pointer) ?? numberOf(shapeText(located, unseen))
    shapes.set(located.pointer, shape)
    return shape
  }

  function shapeText(located: LocatedSchema, ignored: readonly string[]): string {
    const { schema, pointer } = located
    if (!isObject(schema)) return String(schema)
    const inner = subschemas(located).filter(({ keyword }) => keyword !== 'dependencies')
    const held = new Set(['$ref', ...ignored, ...inner.map(({ keyword }) => keyword)])
    const target = followed(located, contract)
    // The type of a short list depends on its use by parameters or by results.
    const isResult = countedItems(located) !== undefined && resultSchemas(contract).has(pointer)
    const parts = [
      ...inner.map((found) => `${found.pointer.slice(pointer.length)} ${shapeOf(found)}`),
      ...(target ? [`$ref ${target.pointer}`] : []),
      ...(isResult ? ['result'] : []),
      ...Object.entries(schema)
        .filter(([keyword]) => !held.has(keyword))
        .map(([keyword, value]) => `${keyword} ${sortedText(single(keyword, value ?? null))}`),
    ]
    return JSON.stringify(parts.sort())
  }

  return (located) => numberOf(shapeText(located, [...unseen, 'description']))
}

/** Returns a type in place of a list of one type. */
function single(keyword: string, value: JsonValue): JsonValue {
  return keyword === 'type' && isArray(value) && value.length === 1 ? (value[0] ?? null) : value
}

/** Returns a JSON text whose members are sorted by name. */
function sortedText(value: JsonValue): string {
  return JSON.stringify(value, (_, inner: JsonValue) =>
    isObject(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([one], [other]) => (one < other ? -1 : 1)))
      : inner,
  )
}
