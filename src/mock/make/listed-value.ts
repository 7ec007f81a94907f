import { arrayMember, isArray, type JsonValue, member } from '../../contract/index.js'
import { canonicalJson } from '../canonical-json.js'
import { NoValueError } from './no-value.js'
import { type Demand, fulfils, type Search, type TypeName, type Wish } from './wish.js'

/**
 * One of the values that the schemas list (`const`, `enum`); undefined where they list none.
 * @throws NoValueError where they list values and none is what was wished for
 */
export function listedValue(
  demand: Demand,
  wish: Wish,
  search: Search,
  place: string,
): JsonValue | undefined {
  const lists = demand.schemas.flatMap(({ schema }) => {
    const constant = member(schema, 'const')
    const values = member(schema, 'enum')
    return [...(constant === undefined ? [] : [[constant]]), ...(isArray(values) ? [values] : [])]
  })
  const [first, ...others] = lists
  if (first === undefined) return undefined
  const sets = others.map((list) => new Set(list.map(canonicalJson)))
  const common = first.filter(
    (value) => demand.types.has(typeOf(value)) && sets.every((set) => set.has(canonicalJson(value))),
  )
  const found = anyOf(common, wish, search)
  if (found === undefined) throw new NoValueError(place)
  return found
}

/** One of the values that the schemas show (`examples`, OpenAPI's `example`), if it is what was wished for. */
export function shownValue({ schemas }: Demand, wish: Wish, search: Search): JsonValue | undefined {
  const shown = schemas.flatMap(({ schema }) => {
    const example = member(schema, 'example')
    return [...arrayMember(schema, 'examples'), ...(example === undefined ? [] : [example])]
  })
  return anyOf(shown, wish, search)
}

function anyOf(values: readonly JsonValue[], wish: Wish, search: Search): JsonValue | undefined {
  if (values.length === 0) return undefined
  const start = search.random.whole(0, values.length - 1)
  return [...values.slice(start), ...values.slice(0, start)].find((value) => fulfils(wish, value, search))
}

function typeOf(value: JsonValue): TypeName {
  if (value === null) return 'null'
  if (isArray(value)) return 'array'
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number'
  return typeof value as 'boolean' | 'string' | 'object'
}
