import type { Contract } from './contract.js'
import { followed } from './reachable-schemas.js'
import { type LocatedSchema, schemaList, schemaMap, schemaMember } from './schema.js'

/**
 * Collects the schemas that apply to the same value through references, compositions and conditions, each
 * once.
 * @param isPossible returns false for a branch of a union that no value fits. A value of a branch of `oneOf` fits none
 *   of the others.
 */
export function facets(
  contract: Contract,
  starts: readonly LocatedSchema[],
  isPossible: (branch: LocatedSchema, others: readonly LocatedSchema[]) => boolean = () => true,
): readonly LocatedSchema[] {
  const seen = new Map<string, LocatedSchema>()
  const waiting = [...starts]
  // The loop also visits elements that are added while it runs.
  for (const here of waiting) {
    if (seen.has(here.pointer)) continue
    seen.set(here.pointer, here)
    const target = followed(here, contract)
    const one = schemaList(here, 'oneOf')
    waiting.push(
      ...(target ? [target] : []),
      ...schemaList(here, 'allOf'),
      ...schemaList(here, 'anyOf').filter((branch) => isPossible(branch, [])),
      ...one.filter((branch) =>
        isPossible(
          branch,
          one.filter((other) => other !== branch),
        ),
      ),
      ...['then', 'else'].flatMap((keyword) => schemaMember(here, keyword) ?? []),
    )
  }
  return [...seen.values()]
}

/** Members that the schemas of a value declare, in document order, each with its schemas. */
export function memberSchemas(
  schemas: readonly LocatedSchema[],
): ReadonlyMap<string, readonly LocatedSchema[]> {
  const members = new Map<string, readonly LocatedSchema[]>()
  for (const [name, schema] of schemas.flatMap((located) => schemaMap(located, 'properties'))) {
    members.set(name, [...(members.get(name) ?? []), schema])
  }
  return members
}

/** Schemas of the first item of a list. */
export function itemSchemas(schemas: readonly LocatedSchema[]): readonly LocatedSchema[] {
  return schemas.flatMap((located) => {
    const [first] = schemaList(located, 'items')
    const every = schemaMember(located, 'items')
    return [...(first ? [first] : []), ...(every ? [every] : [])]
  })
}
