import {
  isArray,
  isObject,
  type JsonValue,
  type LocatedSchema,
  member,
  schemaMap,
} from '../../contract/index.js'
import { memberSchemas } from './inner-schemas.js'
import { bounds, held, listed } from './keywords.js'
import { NoValueError } from './no-value.js'
import { lengthMost, patternText } from './pattern-text.js'
import { type Demand, type Mood, placeOf, type Search, type Wish } from './wish.js'
import { makeWords } from './words.js'

/** An object whose members have no names of their own has so many at most. */
const membersUsually = 2
/** So many names are tried for each member that has none. */
const triesMost = 50
/** The part of the optional members that there are, by how deep an object lies; none further down. */
const optionalParts = [1, 1, 0.8, 0.6, 0.3] as const

/**
 * An object with the members that a demand asks for.
 * @throws NoValueError where none was found
 */
export function makeObject(demand: Demand, wish: Wish, search: Search, mood: Mood): JsonValue {
  const names = chooseNames(demand, search, mood, placeOf(wish, search))
  const dependent = dependentSchemas(demand, names.all)
  if (dependent.length > 0) return search.make({ ...wish, all: [...wish.all, ...dependent] }, mood.depth)
  const members: (readonly [string, JsonValue])[] = []
  const { least } = bounds(demand, 'minProperties', 'maxProperties')
  let left = names.all.length
  for (const name of names.all) {
    try {
      members.push([name, search.make(wishOf(demand, name), mood.depth + 1)])
    } catch (error) {
      if (!(error instanceof NoValueError) || names.needed.has(name) || left <= least) throw error
      left -= 1
    }
  }
  return Object.fromEntries(members)
}

function wishOf({ schemas }: Demand, name: string): Wish {
  return { all: schemas.flatMap((located) => memberSchemas(located, name)), none: [] }
}

interface Names {
  readonly all: readonly string[]
  /** Those that have to be there. */
  readonly needed: ReadonlySet<string>
}

function chooseNames(demand: Demand, search: Search, mood: Mood, place: string): Names {
  const { least, most } = bounds(demand, 'minProperties', 'maxProperties')
  if (least > most) throw new NoValueError(place)
  const declared = declaredNames(demand)
  const canBe = (name: string) => isPossible(demand, search, name)
  const needed = new Set(listed(demand, 'required').flatMap((name) => [...withDependent(demand, name)]))
  const chosen = new Set(needed)
  const part = optionalPart(search, mood)
  for (const name of declared) {
    const added = [...withDependent(demand, name)].filter((each) => !chosen.has(each))
    const hasRoom = chosen.size + added.length <= most
    const isWanted = chosen.size < least || search.random.chance(part)
    if (hasRoom && isWanted && added.every(canBe)) for (const each of added) chosen.add(each)
  }
  const isMap = declared.length === 0 && !mood.thrifty && hasMoreMembers(demand)
  const wanted = Math.max(least, isMap ? Math.min(most, search.random.whole(1, membersUsually)) : 0)
  for (let tried = 0; chosen.size < wanted && tried < triesMost * wanted; tried++) {
    const name = otherName(demand, search)
    if (name !== undefined && canBe(name)) chosen.add(name)
  }
  if (chosen.size < least || chosen.size > most) throw new NoValueError(place)
  const inOrder = [...declared.filter((name) => chosen.has(name)), ...chosen]
  return { all: [...new Set(inOrder)], needed }
}

function declaredNames({ schemas }: Demand): readonly string[] {
  const all = schemas.flatMap((located) => schemaMap(located, 'properties').map(([name]) => name))
  return [...new Set(all)]
}

/** A name and those that have to be there where it is (`dependencies`, `dependentRequired`). */
function withDependent({ schemas }: Demand, name: string): ReadonlySet<string> {
  const found = new Set([name])
  for (const each of found) {
    for (const { schema } of schemas) {
      for (const keyword of ['dependencies', 'dependentRequired']) {
        const dependencies = member(schema, keyword)
        const names = isObject(dependencies) ? member(dependencies, each) : undefined
        if (isArray(names)) for (const other of names) found.add(String(other))
      }
    }
  }
  return found
}

/** Schemas that the whole object must fit where it has certain members, as far as it was not asked to before. */
function dependentSchemas({ schemas }: Demand, names: readonly string[]): readonly LocatedSchema[] {
  const known = new Set(schemas.map(({ pointer }) => pointer))
  return schemas
    .flatMap((located) => [...schemaMap(located, 'dependencies'), ...schemaMap(located, 'dependentSchemas')])
    .filter(([name, { schema, pointer }]) => names.includes(name) && schema !== true && !known.has(pointer))
    .map(([, located]) => located)
}

function isPossible(demand: Demand, { heightOf, fits, isHopeless }: Search, name: string): boolean {
  const wish = wishOf(demand, name)
  const hasValue = wish.all.every((located) => heightOf(located) < Number.POSITIVE_INFINITY)
  const isAllowed = held(demand, 'propertyNames').every((located) => fits(located, name))
  return hasValue && isAllowed && !isHopeless(wish)
}

/** All of the optional members at first, fewer in other attempts and further down. */
function optionalPart({ random }: Search, { attempt, thrifty, depth }: Mood): number {
  if (thrifty) return 0
  const usual = optionalParts[depth] ?? 0
  return attempt === 0 ? usual : random.pick([usual, usual / 2, 0])
}

/** Whether members may be there that are not declared by name, and the contract says of which kind. */
function hasMoreMembers(demand: Demand): boolean {
  const isNamed = demand.schemas.some((located) => schemaMap(located, 'patternProperties').length > 0)
  return isNamed || held(demand, 'additionalProperties').some(({ schema }) => isObject(schema))
}

/** A name for a member that is not declared. */
function otherName(demand: Demand, search: Search): string | undefined {
  const { random } = search
  const patterns = demand.schemas.flatMap((located) =>
    schemaMap(located, 'patternProperties').map(([pattern]) => pattern),
  )
  const rules = held(demand, 'propertyNames')
  if (patterns.length > 0 && random.chance(0.5)) {
    return patternText(random.pick(patterns), { least: 1, most: lengthMost }, random, false)
  }
  if (rules.length === 0) return makeWords(random, 1)
  const name = search.make({ all: rules, none: [], type: 'string' }, 0)
  return typeof name === 'string' ? name : undefined
}
