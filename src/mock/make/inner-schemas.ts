import {
  type Contract,
  followed,
  isArray,
  isObject,
  type LocatedSchema,
  member,
  schemaKeywords,
  schemaList,
  schemaMap,
  schemaMember,
} from '../../contract/index.js'
import { matches } from './matches.js'

/** What a schema by itself asks of a member of an object (draft-07 validation, section 6.5). */
export function memberSchemas(located: LocatedSchema, name: string): readonly LocatedSchema[] {
  const { schema } = located
  if (!isObject(schema)) return []
  const listed = schemaMap(located, 'properties').filter(([own]) => own === name)
  const patterns = schemaMap(located, 'patternProperties').filter(([pattern]) => matches(pattern, name))
  const found = [...listed, ...patterns].map(([, inner]) => inner)
  if (found.length > 0) return found
  const others = schemaMember(located, 'additionalProperties')
  return others ? [others] : []
}

/** What a schema by itself asks of an item of a list (draft-07 validation, section 6.4). */
export function itemSchemas(located: LocatedSchema, index: number): readonly LocatedSchema[] {
  const { schema } = located
  if (!isObject(schema)) return []
  if (!isArray(member(schema, 'items'))) {
    const each = schemaMember(located, 'items')
    return each ? [each] : []
  }
  const found = schemaList(located, 'items')[index] ?? schemaMember(located, 'additionalItems')
  return found ? [found] : []
}

/** The schemas directly inside a schema, references not followed. */
function innerSchemas(located: LocatedSchema): readonly LocatedSchema[] {
  return [
    ...['items', ...schemaKeywords.one].flatMap((keyword) => schemaMember(located, keyword) ?? []),
    ...['items', ...schemaKeywords.list].flatMap((keyword) => schemaList(located, keyword)),
    ...schemaKeywords.map.flatMap((keyword) => schemaMap(located, keyword).map(([, inner]) => inner)),
  ]
}

/**
 * Schemas and everything within their reach, each once, the first ones last.
 * @param isKnown schemas to stop at
 */
export function withinReach(
  contract: Contract,
  roots: readonly LocatedSchema[],
  isKnown: (pointer: string) => boolean = () => false,
): readonly LocatedSchema[] {
  const found = new Map<string, LocatedSchema>()
  const waiting = [...roots]
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    if (found.has(next.pointer) || isKnown(next.pointer)) continue
    found.set(next.pointer, next)
    const target = followed(next, contract)
    waiting.push(...innerSchemas(next), ...(target ? [target] : []))
  }
  return [...found.values()].reverse()
}
