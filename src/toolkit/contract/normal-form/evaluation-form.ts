import { canonicalText } from '../canonical.js'
import { isArray, isObject, type JsonValue } from '../json.js'
import type { Contract } from '../model/contract.js'
import { tupleKeywords } from '../model/dialect.js'
import { followed } from '../model/reachable-schemas.js'
import { type LocatedSchema, type Schema, schemaList, subschemas } from '../model/schema.js'
import { isAnnotation, schemaKeywords } from '../model/schema-keywords.js'

/** Keywords whose schemas apply to the value itself. Their own keywords decide what is evaluated. */
const applied: ReadonlySet<string> = new Set([
  ...['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else', 'dependencies', 'dependentSchemas'],
])

const { one, list, map } = schemaKeywords
const holders: ReadonlySet<string> = new Set(
  ['items', ...one, ...list, ...map].filter((name) => name !== 'dependencies'),
)

const sets: ReadonlySet<string> = new Set(['required', 'enum', 'type'])

/**
 * Returns a form of a schema that keeps which keywords evaluate which members and items. Schemas of the value itself,
 * references included, are written out. Schemas of members and items are named.
 * @param inner names the schema of a member or an item
 */
export function evaluationForm(
  contract: Contract,
  located: LocatedSchema,
  inner: (located: LocatedSchema) => JsonValue,
  seen: ReadonlySet<Schema> = new Set(),
): JsonValue {
  const { schema } = located
  if (!isObject(schema) || seen.has(schema)) return isObject(schema) ? '' : schema
  const inside = new Set([...seen, schema])
  const nameOf = (keyword: string, part: LocatedSchema) =>
    applied.has(keyword) ? evaluationForm(contract, part, inner, inside) : inner(part)
  const target = followed(located, contract, () => undefined)
  const tuple = schemaList(located, 'items')
  const isTuple = (keyword: string) => keyword === 'items' && tuple.length > 0
  const parts = [
    ...(target ? [['allOf', nameOf('allOf', target)]] : []),
    ...tuple.map((part, at) => ['items', at, inner(part)]),
    ...subschemas(located).flatMap(({ keyword, key, ...part }) =>
      isAnnotation(keyword) || isTuple(keyword) ? [] : [[keyword, key ?? '', nameOf(keyword, part)]],
    ),
    ...Object.entries(schema).flatMap(([name, value = null]) => {
      const isHeld = holders.has(name) || name === tupleKeywords(schema)?.first || (target && name === '$ref')
      return isAnnotation(name) || isHeld ? [] : [[name, '', plainValue(name, value)]]
    }),
  ]
  return [...new Set(parts.map(canonicalText))].sort()
}

function plainValue(name: string, value: JsonValue): JsonValue {
  if (isArray(value)) return sets.has(name) ? value.map(canonicalText).sort() : value
  if (name !== 'dependencies' || !isObject(value)) return value
  return Object.fromEntries(Object.entries(value).filter(([, names]) => isArray(names)))
}
