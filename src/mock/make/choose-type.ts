import { member } from '../../contract/index.js'
import { NoValueError } from './no-value.js'
import type { Demand, Mood, Search, TypeName } from './wish.js'

/** The words of a schema that speak of values of one type only. */
const hints: Readonly<Partial<Record<TypeName, string>>> = {
  object: `properties patternProperties additionalProperties propertyNames required minProperties maxProperties
  dependencies dependentRequired dependentSchemas unevaluatedProperties`,
  array:
    'items additionalItems minItems maxItems uniqueItems contains minContains maxContains unevaluatedItems',
  string: 'pattern minLength maxLength format',
  number: 'minimum maximum exclusiveMinimum exclusiveMaximum multipleOf',
}

/** What a value is of which nothing is said. */
const plainTypes: readonly TypeName[] = ['string', 'integer', 'boolean']
/** In this part of all first tries a value that may be null is null. */
const nullPart = 0.15

/**
 * The type of the value: the one that the schemas speak of, seldom null, and nothing with an inside where that is to
 * be spared.
 * @throws NoValueError where there is none
 */
export function chooseType(demand: Demand, { random }: Search, mood: Mood, place: string): TypeName {
  const possible = [...demand.types]
  if (possible.length === 0) throw new NoValueError(place)
  const isFirst = mood.attempt === 0
  const likely = demand.isUntyped
    ? firstOf(hinted(demand, possible), only(possible, plainTypes), possible)
    : possible
  const offered = isFirst || random.chance(0.5) ? likely : possible
  const scalars = offered.filter((type) => type !== 'object' && type !== 'array')
  const small = mood.thrifty && scalars.length > 0 ? scalars : offered
  const values = small.filter((type) => type !== 'null')
  const isNull = small.length > values.length && (values.length === 0 || random.chance(nullPart))
  return isNull ? 'null' : random.pick(values)
}

function hinted({ schemas }: Demand, possible: readonly TypeName[]): readonly TypeName[] {
  return possible.filter((type) =>
    (hints[type] ?? '')
      .split(/\s+/)
      .some((keyword) => schemas.some(({ schema }) => member(schema, keyword) !== undefined)),
  )
}

function only(types: readonly TypeName[], wanted: readonly TypeName[]): readonly TypeName[] {
  return types.filter((type) => wanted.includes(type))
}

function firstOf(...lists: readonly (readonly TypeName[])[]): readonly TypeName[] {
  return lists.find((list) => list.length > 0) ?? []
}
