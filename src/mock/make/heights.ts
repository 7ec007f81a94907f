import {
  arrayMember,
  type Contract,
  followed,
  isArray,
  isObject,
  type JsonObject,
  type LocatedSchema,
  member,
  schemaList,
} from '../../contract/index.js'
import { itemSchemas, memberSchemas, withinReach } from './inner-schemas.js'

/**
 * How many objects and lists the lowest value of a schema has inside one another: 0 for a scalar or an empty list,
 * Infinity where a value would have to go on for ever. What several schemas ask together is not looked at.
 */
export type HeightOf = (located: LocatedSchema) => number

/** Measures the schemas of a contract, each once: the way out of recursive ones. */
export function createHeights(contract: Contract): HeightOf {
  const heights = new Map<string, number>()
  const at = ({ pointer, schema }: LocatedSchema): number =>
    typeof schema === 'boolean'
      ? schema
        ? 0
        : Number.POSITIVE_INFINITY
      : (heights.get(pointer) ?? Number.POSITIVE_INFINITY)

  function measure(located: LocatedSchema): number {
    const { schema } = located
    if (!isObject(schema)) return at(located)
    if (member(schema, 'nullable') === true) return 0
    const target = followed(located, contract)
    const lowest = (keyword: string) => {
      const branches = schemaList(located, keyword)
      return branches.length === 0 ? 0 : Math.min(...branches.map(at))
    }
    const all = [...(target ? [target] : []), ...schemaList(located, 'allOf')].map(at)
    return Math.max(ownHeight(located, schema, at), ...all, lowest('anyOf'), lowest('oneOf'))
  }

  return (located) => {
    // What was measured has nothing unmeasured within its reach.
    const group = withinReach(contract, [located], (pointer) => heights.has(pointer))
    for (let changed = true; changed; ) {
      changed = false
      for (const each of group) {
        const height = measure(each)
        if (height < at(each)) {
          heights.set(each.pointer, height)
          changed = true
        }
      }
    }
    for (const { pointer } of group) heights.set(pointer, heights.get(pointer) ?? Number.POSITIVE_INFINITY)
    return at(located)
  }
}

/** Of a schema that no value can end, the narrowest one inside it that is so by itself. */
export function narrowestEndless(
  located: LocatedSchema,
  contract: Contract,
  heightOf: HeightOf,
  seen: ReadonlySet<string> = new Set(),
): LocatedSchema {
  const { schema, pointer } = located
  const target = followed(located, contract)
  const required = isObject(schema) ? arrayMember(schema, 'required').map(String) : []
  const asked = [
    ...(target ? [target] : []),
    ...schemaList(located, 'allOf'),
    ...required.flatMap((name) => memberSchemas(located, name)),
    ...(isObject(schema) && member(schema, 'minItems') !== undefined ? itemSchemas(located, 0) : []),
  ]
  const cause = asked.find(
    (each) => isObject(each.schema) && !seen.has(each.pointer) && heightOf(each) === Number.POSITIVE_INFINITY,
  )
  return cause === undefined
    ? located
    : narrowestEndless(cause, contract, heightOf, new Set([...seen, pointer]))
}

/** What a schema's own words ask, references and compositions aside. */
function ownHeight(located: LocatedSchema, schema: JsonObject, at: HeightOf): number {
  const listed = member(schema, 'enum')
  if (isArray(listed)) return listed.length > 0 ? 0 : Number.POSITIVE_INFINITY
  const type = member(schema, 'type')
  if (type === undefined || member(schema, 'const') !== undefined) return 0
  const types = isArray(type) ? type : [type]
  return Math.min(
    ...types.map((name) => {
      if (name === 'object') return objectHeight(located, schema, at)
      return name === 'array' ? listHeight(located, schema, at) : 0
    }),
  )
}

function objectHeight(located: LocatedSchema, schema: JsonObject, at: HeightOf): number {
  const required = arrayMember(schema, 'required').map(String)
  if (required.length === 0) return 0
  const inner = required.flatMap((name) => memberSchemas(located, name))
  return 1 + Math.max(0, ...inner.map(at))
}

function listHeight(located: LocatedSchema, schema: JsonObject, at: HeightOf): number {
  const minimum = member(schema, 'minItems')
  if (typeof minimum !== 'number' || minimum < 1) return 0
  const looked = Math.min(minimum, arrayMember(schema, 'items').length + 1)
  const inner = Array.from({ length: looked }, (_, index) => itemSchemas(located, index)).flat()
  return 1 + Math.max(0, ...inner.map(at))
}
