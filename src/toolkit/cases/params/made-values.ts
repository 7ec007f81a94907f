import {
  arrayMember,
  type Contract,
  facets,
  isObject,
  itemSchemas,
  type JsonObject,
  type JsonValue,
  type LocatedSchema,
  memberSchemas,
} from '../../contract/index.js'
import { listedValues, listLength, scalarsWithin } from '../../values/index.js'

/** Maximum nesting depth of generated objects and lists. */
const depthMost = 3

/** Generates boundary values of schemas. Some may not fit, so the caller checks them. */
export function madeValues(
  contract: Contract,
  schemas: readonly LocatedSchema[],
  depth = depthMost,
): readonly JsonValue[] {
  const all = facets(contract, schemas)
  const keywords = all.flatMap(({ schema }) => (isObject(schema) ? [schema] : []))
  const scalars = keywords.flatMap((schema) => [...listedValues(schema), ...scalarsWithin(schema)])
  if (depth === 0) return scalars
  const first = (inner: readonly LocatedSchema[]) =>
    [...madeValues(contract, inner, depth - 1), 'a', 1, true][0] ?? null
  return [...scalars, ...lists(keywords, () => first(itemSchemas(all))), ...objects(keywords, all, first)]
}

function lists(keywords: readonly JsonObject[], item: () => JsonValue): readonly JsonValue[] {
  const counts = keywords.flatMap((schema) => listLength(schema) ?? [])
  return counts.map((count) => Array.from({ length: count }, item))
}

function objects(
  keywords: readonly JsonObject[],
  schemas: readonly LocatedSchema[],
  first: (inner: readonly LocatedSchema[]) => JsonValue,
): readonly JsonValue[] {
  const required = keywords.flatMap((schema) => arrayMember(schema, 'required'))
  if (required.length === 0) return []
  const members = memberSchemas(schemas)
  return [
    Object.fromEntries(
      [...new Set(required.map(String))].sort().map((name) => [name, first(members.get(name) ?? [])]),
    ),
  ]
}
