import { type LocatedSchema, schemaList, schemaMap, schemaMember, tupleKeywords } from '../contract/index.js'
import type { AppliedSchema, KeywordSchema } from './constraints.js'
import { matches } from './texts/pattern-texts.js'

/**
 * Returns the schemas that a member of an object, or an item of a list, must fit. `unevaluatedItems` and
 * `unevaluatedProperties` count only where no keyword beside them, in references and compositions too, describes the
 * member or item (2020-12 core, sections 11.2 and 11.3).
 * @param schemas all schemas that apply to the object or list
 * @param described returns the subschemas of a schema that describe the member or item
 */
export function partSchemas(
  schemas: readonly AppliedSchema[],
  unevaluated: 'unevaluatedItems' | 'unevaluatedProperties',
  described: (located: KeywordSchema) => readonly LocatedSchema[],
): readonly LocatedSchema[] {
  const found = schemas.map((located) => ({ located, own: described(located) }))
  const others = schemas.flatMap((located) => {
    const schema = schemaMember(located, unevaluated)
    const isEvaluated = found.some(
      ({ located: other, own }) =>
        own.length > 0 && (other === located || other.within.includes(located.pointer)),
    )
    return schema && !isEvaluated ? [schema] : []
  })
  return [...found.flatMap(({ own }) => own), ...others]
}

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
