import {
  type Contract,
  followed,
  type LocatedSchema,
  pointerTokens,
  schemaList,
  schemaMap,
  schemaMember,
} from '../../contract/index.js'

/**
 * Collects the schemas that apply to the same value through references, compositions and conditions, each
 * once.
 */
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

/** Keys of the component schemas that are, or contain, the given schemas. */
export function componentKeys(schemas: readonly LocatedSchema[]): ReadonlySet<string> {
  return new Set(
    schemas.flatMap(({ pointer }) => {
      const [components, kind, key] = pointerTokens(pointer) ?? []
      return components === 'components' && kind === 'schemas' && key !== undefined ? [key] : []
    }),
  )
}

/** Sorted names of the component schemas among the given ones, joined by spaces. */
export function referenced(schemas: readonly LocatedSchema[]): string {
  const names = schemas.flatMap(({ pointer }) => {
    const [components, kind, key, ...inner] = pointerTokens(pointer) ?? []
    const isComponent = components === 'components' && kind === 'schemas' && inner.length === 0
    return isComponent && key !== undefined ? [key] : []
  })
  return names.sort().join(' ')
}
