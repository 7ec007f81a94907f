import {
  arrayMember,
  isArray,
  isObject,
  type JsonObject,
  type LocatedSchema,
  member,
  schemaList,
  schemaMember,
} from '../../contract/index.js'
import { assertions, contrary } from './contrary.js'
import { createFormChoices, type FormChoices } from './form-choices.js'
import { NoValueError } from './no-value.js'
import {
  type Demand,
  type KeywordSchema,
  type Mood,
  placeOf,
  type Search,
  type TypeName,
  type Wish,
} from './wish.js'

const allTypes: readonly TypeName[] = ['null', 'boolean', 'integer', 'number', 'string', 'array', 'object']

/**
 * Makes the choices that a wish leaves open, other ones at each attempt.
 * @throws NoValueError where they contradict each other
 */
export function decide(wish: Wish, search: Search, mood: Mood, turn: number): Demand {
  const { schemas, none } = gather(wish, search, createFormChoices(search, mood, turn))
  const found = [...schemas.values()]
  const declared = found.flatMap(({ schema }) => declaredTypes(schema))
  const excluded = [...none.values()].flatMap(({ schema }) => excludedTypes(schema))
  const possible = wish.type === undefined ? allTypes : [wish.type]
  const types = possible.filter((type) => declared.every((set) => set.has(type)) && !excluded.includes(type))
  if (types.length === 0) throw new NoValueError(placeOf(wish, search))
  const isUntyped = declared.length === 0 && wish.type === undefined
  return { schemas: found, none: [...none.values()], types: new Set(types), isUntyped }
}

/** A demand for a value of one type: what must not be is turned into what must be, where that is one bound. */
export function ofType(demand: Demand, type: TypeName): Demand {
  const needed = new Set(demand.schemas.flatMap(({ schema }) => arrayMember(schema, 'required').map(String)))
  const bounds = demand.none.flatMap((located) => contrary(located, type, needed) ?? [])
  return { ...demand, schemas: [...demand.schemas, ...bounds], types: new Set([type]) }
}

/** What a value must fit and what it must not, while it is put together. */
interface Gathering {
  readonly place: string
  readonly search: Search
  readonly choices: FormChoices
  readonly schemas: Map<string, KeywordSchema>
  readonly none: Map<string, LocatedSchema>
  /** Still to be looked at, the last one first. */
  readonly waiting: LocatedSchema[]
  readonly refused: LocatedSchema[]
}

/** Follows references, and takes one form of each composition. */
function gather(wish: Wish, search: Search, choices: FormChoices): Gathering {
  const gathering: Gathering = {
    place: placeOf(wish, search),
    search,
    choices,
    schemas: new Map(),
    none: new Map(),
    waiting: wish.all.toReversed(),
    refused: [...wish.none],
  }
  const { waiting, refused } = gathering
  while (waiting.length > 0 || refused.length > 0) {
    const positive = waiting.pop()
    if (positive) accept(gathering, positive)
    else refuse(gathering, refused.pop())
  }
  return gathering
}

function accept(gathering: Gathering, located: LocatedSchema): void {
  const { schemas, waiting, refused, choices, search } = gathering
  const { schema, pointer } = located
  if (schema === true || schemas.has(pointer)) return
  if (schema === false) throw new NoValueError(pointer)
  if (member(schema, 'nullable') === true && choices.isNull()) {
    schemas.set(pointer, { pointer, schema: { type: 'null' } })
    return
  }
  schemas.set(pointer, { pointer, schema })
  const target = search.follow(located)
  if (target) waiting.push(target)
  waiting.push(...schemaList(located, 'allOf').toReversed())
  const any = schemaList(located, 'anyOf')
  if (any.length > 0) waiting.push(choices.form(any, pointer))
  const one = schemaList(located, 'oneOf')
  if (one.length > 0) {
    const form = choices.form(one, pointer)
    waiting.push(form)
    refused.push(...one.filter((other) => other !== form))
  }
  const not = schemaMember(located, 'not')
  if (not) refused.push(not)
  acceptCondition(gathering, located)
}

function acceptCondition({ waiting, refused, choices }: Gathering, located: LocatedSchema): void {
  const condition = schemaMember(located, 'if')
  const consequence = schemaMember(located, 'then')
  const otherwise = schemaMember(located, 'else')
  if (!condition || (!consequence && !otherwise)) return
  const isMet = choices.isMet()
  if (isMet) waiting.push(condition)
  else refused.push(condition)
  const asked = isMet ? consequence : otherwise
  if (asked) waiting.push(asked)
}

/** What breaks a condition: it is met and what follows is not, or it is not met and neither is the other thing. */
function refuseCondition({ waiting, refused, choices }: Gathering, located: LocatedSchema): void {
  const condition = schemaMember(located, 'if')
  if (!condition) return
  const isMet = choices.isMet()
  if (isMet) waiting.push(condition)
  else refused.push(condition)
  const nothing = { pointer: located.pointer, schema: true }
  refused.push(schemaMember(located, isMet ? 'then' : 'else') ?? nothing)
}

/** What must not be is brought to what must be, as far as it can be said so; the rest is left to the check. */
function refuse(gathering: Gathering, located: LocatedSchema | undefined): void {
  const { place, none, waiting, refused, search } = gathering
  if (!located || located.schema === false) return
  if (located.schema === true) throw new NoValueError(place)
  if (none.has(located.pointer)) return
  none.set(located.pointer, located)
  const said = assertions(located.schema)
  if (said.length === 0) throw new NoValueError(place)
  if (said.length > 1 || member(located.schema, 'nullable') === true) return
  const target = search.follow(located)
  const inner = schemaMember(located, 'not')
  const all = schemaList(located, 'allOf')
  if (target) refused.push(target)
  if (inner) waiting.push(inner)
  refused.push(...schemaList(located, 'anyOf'))
  refuseCondition(gathering, located)
  if (all.length > 0) refused.push(search.random.pick(all))
  const one = schemaList(located, 'oneOf')
  // Not one of them: none at all, or two.
  if (one.length < 2 || search.random.chance(0.5)) refused.push(...one)
  else waiting.push(search.random.pick(one), search.random.pick(one))
}

function declaredTypes(schema: JsonObject): readonly ReadonlySet<TypeName>[] {
  const type = member(schema, 'type')
  return type === undefined ? [] : [typeSet(isArray(type) ? type.map(String) : [String(type)])]
}

/** A whole number is a number, too. */
function typeSet(names: readonly string[]): ReadonlySet<TypeName> {
  return new Set(
    allTypes.filter((type) => names.includes(type) || (type === 'integer' && names.includes('number'))),
  )
}

/** The types that a schema which must not fit rules out by itself. */
function excludedTypes(schema: LocatedSchema['schema']): readonly TypeName[] {
  if (!isObject(schema)) return []
  const said = assertions(schema)
  return said.length === 1 && said[0] === 'type' ? declaredTypes(schema).flatMap((set) => [...set]) : []
}
