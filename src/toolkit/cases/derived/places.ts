import {
  type Contract,
  facets,
  isArray,
  isObject,
  itemSchemas,
  type JsonValue,
  type LocatedSchema,
  type Method,
  member,
  memberSchemas,
} from '../../contract/index.js'
import type { Accepts, Given } from '../params/given-params.js'

/** A value within valid parameters, with a function that replaces it. */
export interface Place {
  /** `filter`, `filter.topics`, `filter.topics[0]`. */
  readonly label: string
  readonly schemas: readonly LocatedSchema[]
  readonly value: JsonValue
  readonly replaced: (value: JsonValue) => Given
}

/** Maximum depth of places within a parameter. */
const depthMost = 2

/** Lists the places of one parameter in valid parameters: the parameter itself and the values within it. */
export function placesOf(
  contract: Contract,
  method: Method,
  position: number,
  givens: readonly Given[],
  tools: { readonly accepts: Accepts; readonly pool: readonly JsonValue[] },
): readonly Place[] {
  const param = method.params[position]
  if (!param) return []
  return givens.flatMap((given) => {
    const value = given[position]
    if (value === undefined) return []
    const replaced = (other: JsonValue) => given.map((known, at) => (at === position ? other : known))
    const accepts = (other: JsonValue) => tools.accepts(position, other)
    const root = { label: param.name, schemas: facets(contract, [param.schema]), value, replaced }
    return inside(contract, { ...root, whole: (other) => other }, accepts, tools.pool, depthMost)
  })
}

/** A place that can also rebuild the whole parameter. */
interface Nested extends Place {
  readonly whole: (value: JsonValue) => JsonValue
}

function inside(
  contract: Contract,
  place: Nested,
  accepts: (whole: JsonValue) => boolean,
  pool: readonly JsonValue[],
  depth: number,
): readonly Place[] {
  const deeper = (inner: Nested) => inside(contract, inner, accepts, pool, depth - 1)
  return [place, ...(depth === 0 ? [] : innerPlaces(contract, place, accepts, pool).flatMap(deeper))]
}

function innerPlaces(
  contract: Contract,
  { label, schemas, value, whole, replaced }: Nested,
  accepts: (whole: JsonValue) => boolean,
  pool: readonly JsonValue[],
): readonly Nested[] {
  const nested = (name: string, found: readonly LocatedSchema[], inner: JsonValue, put: Put): Nested => ({
    label: `${label}${name}`,
    schemas: facets(contract, found),
    value: inner,
    whole: (other) => whole(put(other)),
    replaced: (other) => replaced(put(other)),
  })
  if (isArray(value)) {
    const [first] = value
    if (first === undefined) return []
    return [nested('[0]', itemSchemas(schemas), first, (other) => [other, ...value.slice(1)])]
  }
  if (!isObject(value)) return []
  return [...memberSchemas(schemas)].flatMap(([name, found]) => {
    const put: Put = (other) => Object.fromEntries([...Object.entries(value), [name, other]])
    const inner = member(value, name) ?? pool.find((candidate) => accepts(whole(put(candidate))))
    return inner === undefined ? [] : [nested(`.${name}`, found, inner, put)]
  })
}

type Put = (other: JsonValue) => JsonValue
