import { type Contract, followed, type JsonValue, type LocatedSchema, member } from '../../contract/index.js'
import { chooseType } from './choose-type.js'
import { createChecker, type Fits } from './create-checker.js'
import { decide, ofType } from './decide.js'
import { createHeights, type HeightOf, narrowestEndless } from './heights.js'
import { listedValue, shownValue } from './listed-value.js'
import { makeList } from './make-list.js'
import { makeNumber } from './make-number.js'
import { makeObject } from './make-object.js'
import { makeString } from './make-string.js'
import { EffortSpentError, NoValueError } from './no-value.js'
import type { Random } from './random.js'
import { type Demand, fulfils, type Mood, placeOf, type Search, type TypeName, type Wish } from './wish.js'

/** Bounds of the search for one value. */
const most = {
  /** Times that one place of a value is tried. */
  attempts: 24,
  /** Times that all places are tried together. */
  effort: 10_000,
  /** Objects and lists inside one another. */
  depth: 50,
} as const

/** From here on no more is made than has to be. */
const thrifty = { depth: 4, effort: 300, attempts: most.attempts / 2 } as const

/**
 * A value that fits all of the schemas; the same one for the same choices.
 * @throws NoValueError, EffortSpentError where none was found
 */
export type ValueMaker = (schemas: readonly LocatedSchema[], random: Random) => JsonValue

/**
 * Makes values for schemas of a contract. The words of the schemas say how a value is made; what they do not say well
 * enough (`not`, `oneOf`, conditions) is tried, and held against the schema by ajv.
 * @param roots the schemas that values will be asked for
 */
export function createValueMaker(contract: Contract, roots: readonly LocatedSchema[]): ValueMaker {
  const heightOf = createHeights(contract)
  const fits = createChecker(contract, roots)
  const follow = (located: LocatedSchema) => followed(located, contract)
  const narrowest = (located: LocatedSchema) => narrowestEndless(located, contract, heightOf)
  return (schemas, random) =>
    createSearch({ heightOf, fits, follow, narrowest }, random).make({ all: schemas, none: [] }, 0)
}

interface Tools {
  readonly heightOf: HeightOf
  readonly fits: Fits
  readonly follow: Search['follow']
  /** Of a schema that no value can end, where it is so. */
  readonly narrowest: (located: LocatedSchema) => LocatedSchema
}

function createSearch(tools: Tools, random: Random): Search {
  const hopeless = new Map<string, string>()
  const isHopeless = (wish: Wish) => hopeless.has(keyOf(wish))
  const search: Search = { ...tools, random, make, isHopeless }
  let effort = 0

  function make(wish: Wish, depth: number): JsonValue {
    const key = keyOf(wish)
    const endless = wish.all.find((located) => tools.heightOf(located) === Number.POSITIVE_INFINITY)
    const known = endless ? placeOf({ all: [tools.narrowest(endless)], none: [] }, tools) : hopeless.get(key)
    if (known !== undefined) throw new NoValueError(known)
    if (depth > most.depth) throw new NoValueError(placeOf(wish, search))
    const turn = random.whole(0, most.attempts)
    let failed = placeOf(wish, search)
    for (let attempt = 0; attempt < most.attempts; attempt++) {
      effort += 1
      if (effort > most.effort) throw new EffortSpentError(placeOf(wish, search))
      const isThrifty = depth >= thrifty.depth || effort > thrifty.effort || attempt > thrifty.attempts
      try {
        const value = makeOnce(wish, search, { attempt, thrifty: isThrifty, depth }, turn)
        if (value !== undefined) return value
      } catch (error) {
        if (!(error instanceof NoValueError)) throw error
        failed = error.pointer
      }
    }
    hopeless.set(key, failed)
    throw new NoValueError(failed)
  }

  return search
}

function keyOf({ all, none, type }: Wish): string {
  return JSON.stringify([all.map(({ pointer }) => pointer), none.map(({ pointer }) => pointer), type])
}

/** One try: undefined where what was made is not what was wished for. */
function makeOnce(wish: Wish, search: Search, mood: Mood, turn: number): JsonValue | undefined {
  const place = placeOf(wish, search)
  const demand = decide(wish, search, mood, turn)
  const listed = listedValue(demand, wish, search, place)
  if (listed !== undefined) return listed
  const shown = mood.attempt === 0 ? shownValue(demand, wish, search) : undefined
  if (shown !== undefined) return shown
  const type = chooseType(demand, search, mood, place)
  const value = makeOfType(type, ofType(demand, type), wish, search, mood)
  const isCertain = mood.depth > 0 && !isUncertain(demand)
  return isCertain || fulfils(wish, value, search) ? value : undefined
}

function makeOfType(type: TypeName, demand: Demand, wish: Wish, search: Search, mood: Mood): JsonValue {
  const place = placeOf(wish, search)
  switch (type) {
    case 'null':
      return null
    case 'boolean':
      return search.random.chance(0.5)
    case 'integer':
    case 'number':
      return makeNumber(demand, type === 'integer', search.random, place)
    case 'string':
      return makeString(demand, search.random, place)
    case 'array':
      return makeList(demand, search, mood, place)
    case 'object':
      return makeObject(demand, wish, search, mood)
  }
}

/** Words that are not certain to be kept by the way values are made. */
const uncertain = ['unevaluatedItems', 'unevaluatedProperties', 'multipleOf', 'maxContains']

function isUncertain({ none, schemas }: Demand): boolean {
  return (
    none.length > 0 ||
    schemas.some(({ schema }) => uncertain.some((keyword) => member(schema, keyword) !== undefined))
  )
}
