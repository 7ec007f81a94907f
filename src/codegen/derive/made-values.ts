import {
  arrayMember,
  type Contract,
  isObject,
  type JsonObject,
  type JsonValue,
  type LocatedSchema,
  member,
  type Schema,
} from '../../contract/index.js'
import { facets, itemSchemas, memberSchemas } from './facets.js'

/** Values are made so deep inside a parameter. */
const depthMost = 3

/** Longer texts and lists are not worth their space. */
const sizeMost = 200

/** A value of each format that is validated and that a text of letters does not have. */
const formatSamples: Readonly<Record<string, string>> = {
  date: '2020-01-31',
  time: '12:00:00Z',
  'date-time': '2020-01-31T12:00:00Z',
  email: 'name@example.com',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
  uri: 'https://example.com/',
  uuid: '00000000-0000-4000-8000-000000000000',
  'json-pointer': '/a',
}

/** Values that come from what schemas ask for; whether they take one of them is for the schemas to say. */
export function madeValues(
  contract: Contract,
  schemas: readonly LocatedSchema[],
  depth = depthMost,
): readonly JsonValue[] {
  const all = facets(contract, schemas)
  const keywords = all.flatMap(({ schema }) => (isObject(schema) ? [schema] : []))
  const scalars = keywords.flatMap((schema) => [
    ...listedValues(schema),
    ...texts(schema),
    ...numbers(schema),
  ])
  if (depth === 0) return scalars
  const first = (inner: readonly LocatedSchema[]) =>
    [...madeValues(contract, inner, depth - 1), 'a', 1, true][0] ?? null
  return [...scalars, ...lists(keywords, () => first(itemSchemas(all))), ...objects(keywords, all, first)]
}

/** The values that a schema lists, or shows as examples of itself. */
export function listedValues(schema: Schema): readonly JsonValue[] {
  if (!isObject(schema)) return []
  const constant = member(schema, 'const')
  const own = [...arrayMember(schema, 'examples'), ...arrayMember(schema, 'enum')]
  return constant === undefined ? own : [constant, ...own]
}

function texts(schema: JsonObject): readonly string[] {
  const sample = formatSamples[String(member(schema, 'format'))]
  const least = member(schema, 'minLength')
  const isShort = typeof least === 'number' && least <= sizeMost
  return [
    ...(sample === undefined ? [] : [sample]),
    ...(isShort ? ['a'.repeat(least), '1'.repeat(least)] : []),
    ...(member(schema, 'type') === 'string' ? ['a', '1'] : []),
  ]
}

function numbers(schema: JsonObject): readonly number[] {
  const bound = (name: string, ...steps: readonly number[]) => {
    const value = member(schema, name)
    return typeof value === 'number' ? steps.map((step) => value + step) : []
  }
  const isNumber = ['integer', 'number'].includes(String(member(schema, 'type')))
  return [
    ...bound('minimum', 0, 1),
    ...bound('exclusiveMinimum', 1, 0.5),
    ...bound('maximum', 0),
    ...bound('exclusiveMaximum', -1, -0.5),
    ...bound('multipleOf', 0),
    ...(isNumber ? [1] : []),
  ]
}

function lists(keywords: readonly JsonObject[], item: () => JsonValue): readonly JsonValue[] {
  const counts = keywords.flatMap((schema) => {
    const least = member(schema, 'minItems') ?? (member(schema, 'items') === undefined ? undefined : 1)
    return typeof least === 'number' && least <= sizeMost ? [least] : []
  })
  return counts.map((count) => Array.from({ length: count }, item))
}

function objects(
  keywords: readonly JsonObject[],
  schemas: readonly LocatedSchema[],
  first: (inner: readonly LocatedSchema[]) => JsonValue,
): readonly JsonValue[] {
  const required = keywords.flatMap((schema) => arrayMember(schema, 'required'))
  if (required.length === 0) return []
  const members = memberSchemas(schemas)
  return [
    Object.fromEntries(
      [...new Set(required.map(String))].sort().map((name) => [name, first(members.get(name) ?? [])]),
    ),
  ]
}
