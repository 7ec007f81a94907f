import { isArray, isSchema, joinPointer, type LocatedSchema, member } from '../../contract/index.js'
import type { Demand } from './wish.js'

/** The numbers that the schemas of a demand give a keyword. */
export function numbers({ schemas }: Demand, keyword: string): readonly number[] {
  return schemas.flatMap(({ schema }) => {
    const value = member(schema, keyword)
    return typeof value === 'number' ? [value] : []
  })
}

/** The texts that they give it. */
export function texts({ schemas }: Demand, keyword: string): readonly string[] {
  return schemas.flatMap(({ schema }) => {
    const value = member(schema, keyword)
    return typeof value === 'string' ? [value] : []
  })
}

/** The texts of the lists that they give it, each once. */
export function listed({ schemas }: Demand, keyword: string): readonly string[] {
  const all = schemas.flatMap(({ schema }) => {
    const value = member(schema, keyword)
    return isArray(value) ? value.map(String) : []
  })
  return [...new Set(all)]
}

/** The schemas that they give it. */
export function held({ schemas }: Demand, keyword: string): readonly LocatedSchema[] {
  return schemas.flatMap(({ schema, pointer }) => {
    const value = member(schema, keyword)
    return isSchema(value) ? [{ pointer: joinPointer(pointer, keyword), schema: value }] : []
  })
}

/** The least and the most that two keywords allow together, such as `minItems` and `maxItems`. */
export function bounds(
  demand: Demand,
  least: string,
  most: string,
): { readonly least: number; readonly most: number } {
  return {
    least: Math.max(0, ...numbers(demand, least)),
    most: Math.min(Number.POSITIVE_INFINITY, ...numbers(demand, most)),
  }
}
