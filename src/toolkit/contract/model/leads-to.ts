import { matchesPattern } from '../patterns.js'
import type { Contract } from './contract.js'
import { followed } from './reachable-schemas.js'
import { type LocatedSchema, schemaList, schemaMap, schemaMember } from './schema.js'

/**
 * Returns true if values of the schema may have a value at the given path. Follows references, compositions
 * and conditions.
 * @param contract the contract that resolves references
 * @param schema the schema to start at
 * @param tokens member names and item positions; `*` stands for every item
 * @param describes returns false for a schema of further members or items that does not count
 */
export function leadsTo(
  contract: Contract,
  schema: LocatedSchema,
  tokens: readonly string[],
  describes: (located: LocatedSchema) => boolean = () => true,
): boolean {
  let here = new Map(alternatives(contract, schema).map((found) => [found.pointer, found]))
  for (const token of tokens) {
    const next = [...here.values()].flatMap((found) =>
      inside(found, token, describes).flatMap((inner) => alternatives(contract, inner)),
    )
    here = new Map(next.map((found) => [found.pointer, found]))
    if (here.size === 0) return false
  }
  return true
}

/** A schema, the target of its reference, and the schemas that it is composed of. */
function alternatives(contract: Contract, start: LocatedSchema): readonly LocatedSchema[] {
  return closure(start, (next) => [
    ...target(contract, next),
    ...['allOf', 'anyOf', 'oneOf'].flatMap((keyword) => schemaList(next, keyword)),
    ...['then', 'else'].flatMap((keyword) => schemaMember(next, keyword) ?? []),
  ])
}

/** The target of a reference. Another rule reports dangling references. */
export function target(contract: Contract, located: LocatedSchema): readonly LocatedSchema[] {
  const found = followed(located, contract, () => undefined)
  return found ? [found] : []
}

/** Returns the transitive closure of a step, starting with a schema. */
export function closure(
  start: LocatedSchema,
  next: (located: LocatedSchema) => readonly LocatedSchema[],
): readonly LocatedSchema[] {
  const found = new Map<string, LocatedSchema>()
  const waiting = [start]
  for (let located = waiting.pop(); located; located = waiting.pop()) {
    if (found.has(located.pointer)) continue
    found.set(located.pointer, located)
    waiting.push(...next(located))
  }
  return [...found.values()]
}

/** The schemas of a member or an item. */
function inside(
  located: LocatedSchema,
  token: string,
  describes: (located: LocatedSchema) => boolean,
): readonly LocatedSchema[] {
  if (located.schema === true) return [located].filter(describes)
  const others = ['additionalProperties', 'additionalItems'].flatMap(
    (keyword) => schemaMember(located, keyword) ?? [],
  )
  const isItem = /^(\d+|\*|-)$/.test(token)
  return [
    ...schemaMap(located, 'properties').flatMap(([name, inner]) => (name === token ? [inner] : [])),
    ...(isItem ? [...[schemaMember(located, 'items') ?? []].flat(), ...schemaList(located, 'items')] : []),
    ...others.filter(describes),
    ...schemaMap(located, 'patternProperties').flatMap(([pattern, inner]) =>
      isItem || matchesPattern(pattern, token) ? [inner] : [],
    ),
  ].filter((inner) => inner.schema !== false)
}
