import { type Contract, isObject, type LocatedSchema } from '../../../contract/index.js'
import { isFreeName, pascalName } from '../identifiers.js'
import { freeName } from '../local-names.js'
import { bodyOf } from '../schema-type.js'
import { createTypeWriter, type InlineSchema, TypeNames } from '../type-writer.js'
import { type InlinePlace, inlinePlaces } from './inline-places.js'
import { type Naming, namingOf } from './naming-of.js'
import { createShapes, type ShapeOf } from './schema-shapes.js'

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
