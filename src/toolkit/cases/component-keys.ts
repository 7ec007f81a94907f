import { type LocatedSchema, pointerTokens } from '../contract/index.js'

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
