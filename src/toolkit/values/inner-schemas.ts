import { type LocatedSchema, schemaList, schemaMap, schemaMember, tupleKeywords } from '../contract/index.js'
import type { KeywordSchema } from './constraints.js'
import { matches } from './texts/pattern-texts.js'

/** Schemas of an object member, from one schema (draft-07 validation, section 6.5). */
export function memberSchemas(located: KeywordSchema, name: string): readonly LocatedSchema[] {
  const listed = schemaMap(located, 'properties').filter(([own]) => own === name)
  const patterns = schemaMap(located, 'patternProperties').filter(([pattern]) => matches(pattern, name))
  const found = [...listed, ...patterns].map(([, inner]) => inner)
  const others = schemaMember(located, 'additionalProperties')
  return found.length > 0 || !others ? found : [others]
}

/** Schemas of a list item, from one schema (draft-07 validation, section 6.4). */
export function itemSchemas(located: KeywordSchema, index: number): readonly LocatedSchema[] {
  const isTuple = tupleKeywords(located.schema) !== undefined
  const each = schemaMember(located, isTuple ? 'additionalItems' : 'items')
  const own = schemaList(located, 'items')[index] ?? each
  return own ? [own] : []
}
