import {
  type Contract,
  followed,
  type LocatedSchema,
  pointerTokens,
  schemaList,
  schemaMap,
  schemaMember,
} from '../../contract/index.js'

/** A schema and all that it brings to bear on the same value: references, compositions, conditions; each once. */
export function facets(contract: Contract, starts: readonly LocatedSchema[]): readonly LocatedSchema[] {
  const seen = new Map<string, LocatedSchema>()
  const waiting = [...starts]
  for (let next = waiting.shift(); next; next = waiting.shift()) {
    if (seen.has(next.pointer)) continue
    seen.set(next.pointer, next)
    const here = next
    const target = followed(here, contract)
    waiting.push(
      ...(target ? [target] : []),
      ...['allOf', 'anyOf', 'oneOf'].flatMap((keyword) => schemaList(here, keyword)),
      ...['then', 'else'].flatMap((keyword) => schemaMember(here, keyword) ?? []),
    )
  }
  return [...seen.values()]
}

/** The members that schemas of one value name, in the document's order, each with the schemas that it is given. */
export function memberSchemas(
  schemas: readonly LocatedSchema[],
): ReadonlyMap<string, readonly LocatedSchema[]> {
  const members = new Map<string, readonly LocatedSchema[]>()
  for (const [name, schema] of schemas.flatMap((located) => schemaMap(located, 'properties'))) {
    members.set(name, [...(members.get(name) ?? []), schema])
  }
  return members
}

/** The schemas of a list's first item. */
export function itemSchemas(schemas: readonly LocatedSchema[]): readonly LocatedSchema[] {
  return schemas.flatMap((located) => {
    const [first] = schemaList(located, 'items')
    const every = schemaMember(located, 'items')
    return [...(first ? [first] : []), ...(every ? [every] : [])]
  })
}

/** The keys of the component schemas that the given ones are, or stand in. */
export function componentKeys(schemas: readonly LocatedSchema[]): ReadonlySet<string> {
  return new Set(
    schemas.flatMap(({ pointer }) => {
      const [components, kind, key] = pointerTokens(pointer) ?? []
      return components === 'components' && kind === 'schemas' && key !== undefined ? [key] : []
    }),
  )
}

/** The names of the component schemas among the given ones, sorted and in one text; empty without any. */
export function referenced(schemas: readonly LocatedSchema[]): string {
  const names = schemas.flatMap(({ pointer }) => {
    const [components, kind, key, ...inner] = pointerTokens(pointer) ?? []
    const isComponent = components === 'components' && kind === 'schemas' && inner.length === 0
    return isComponent && key !== undefined ? [key] : []
  })
  return names.sort().join(' ')
}
