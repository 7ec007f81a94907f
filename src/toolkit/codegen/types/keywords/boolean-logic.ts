// Keywords that combine schemas: `allOf`, `anyOf`, `oneOf` and `not` (draft-07 validation, section 6.7; 2020-12 core,
// section 10.2.1). TypeScript has no negated types, so `not` becomes a note here and cases in conditions.ts.

import {
  followed,
  isArray,
  isObject,
  type JsonValue,
  type LocatedSchema,
  member,
  schemaList,
} from '../../../contract/index.js'
import type { Keyword } from '../note-text.js'
import {
  hasLiterals,
  type Properties,
  type TypeText,
  type TypeWriter,
  tight,
  union,
  type WriteType,
} from '../type-writer.js'

/** Returns the types of `allOf`, `anyOf` and `oneOf`. */
export function composedTypes(
  writer: TypeWriter,
  located: LocatedSchema,
  properties: Properties,
  write: WriteType,
): readonly TypeText[] {
  const alternatives = ['anyOf', 'oneOf'].map((keyword) => schemaList(located, keyword))
  return [
    ...schemaList(located, 'allOf').map((part) => write(part, properties)),
    ...alternatives
      .filter((branches) => branches.length > 0)
      .map((branches) => union(branchTypes(writer, branches, properties, write))),
  ]
}

/** Returns the types of alternatives. Names of plain strings are kept apart from literals for completion. */
function branchTypes(
  writer: TypeWriter,
  branches: readonly LocatedSchema[],
  properties: Properties,
  write: WriteType,
): readonly TypeText[] {
  const types = branches.map((branch) => write(branch, properties))
  const resolved = branches.map((branch, at) => {
    const target = followed(branch, writer.contract)
    return target && isPlainScalar(target) ? write(target) : types[at]
  })
  if (!resolved.some((type) => type && hasLiterals(type))) return types
  return types.map((type, at) =>
    resolved[at]?.text === 'string' && type.text !== 'string' ? tight(`(${type.text} & {})`) : type,
  )
}

function isPlainScalar({ schema }: LocatedSchema): boolean {
  return isObject(schema) && ['string', 'integer', 'number'].includes(String(member(schema, 'type')))
}

/** Says whether some values are refused. */
export function refusalNotes(value: Keyword): readonly string[] {
  const forbidden = value('not')
  if (forbidden === undefined) return []
  const why = isObject(forbidden)
    ? (member(forbidden, 'description') ?? member(forbidden, 'title'))
    : undefined
  return [why === undefined ? 'Some values are refused.' : `Refused: ${String(why)}`]
}

/** Says whether exactly one of several forms must match. */
export function formNotes(value: Keyword): readonly string[] {
  const oneOf = value('oneOf')
  return isArray(oneOf) && oneOf.filter((form) => !isNull(form)).length > 1
    ? ['Must match exactly one form.']
    : []
}

/** Returns true for a schema that accepts null alone. */
export function isNull(schema: JsonValue): boolean {
  return isObject(schema) && member(schema, 'type') === 'null'
}
