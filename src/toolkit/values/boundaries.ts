import {
  arrayMember,
  isObject,
  type JsonObject,
  type JsonValue,
  member,
  type Schema,
} from '../contract/index.js'

// Boundary values of schemas, enumerated without fast-check. Generated files contain them, so they must not
// change with fast-check's version.

/** Maximum length of texts and lists, to keep generated files small. */
const sizeMost = 200

/** Samples of validated formats that plain letters do not fit. */
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

/** Values that a schema lists, or has as examples. */
export function listedValues(schema: Schema): readonly JsonValue[] {
  if (!isObject(schema)) return []
  const constant = member(schema, 'const')
  const own = [...arrayMember(schema, 'examples'), ...arrayMember(schema, 'enum')]
  return constant === undefined ? own : [constant, ...own]
}

/** Texts and numbers at the bounds of a schema. Most of them fit it. */
export function scalarsWithin(schema: JsonObject): readonly (string | number)[] {
  return [...textsWithin(schema), ...numbersWithin(schema)]
}

function textsWithin(schema: JsonObject): readonly string[] {
  const sample = formatSamples[String(member(schema, 'format'))]
  const least = member(schema, 'minLength')
  const isShort = typeof least === 'number' && least <= sizeMost
  return [
    ...(sample === undefined ? [] : [sample]),
    ...(isShort ? ['a'.repeat(least), '1'.repeat(least)] : []),
    ...(member(schema, 'type') === 'string' ? ['a', '1'] : []),
  ]
}

function numbersWithin(schema: JsonObject): readonly number[] {
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

/** Minimum length of lists that fit a schema; undefined if it does not concern lists. */
export function listLength(schema: JsonObject): number | undefined {
  const hasItems = ['items', 'prefixItems'].some((keyword) => member(schema, keyword) !== undefined)
  const least = member(schema, 'minItems') ?? (hasItems ? 1 : undefined)
  return typeof least === 'number' && least <= sizeMost ? least : undefined
}

/** Nearest numbers below and above the bounds of schemas. */
export function numbersOutside(schemas: readonly JsonObject[]): {
  readonly low: readonly number[]
  readonly high: readonly number[]
} {
  return {
    low: [...bounds(schemas, 'minimum').map((least) => least - 1), ...bounds(schemas, 'exclusiveMinimum')],
    high: [...bounds(schemas, 'maximum').map((most) => most + 1), ...bounds(schemas, 'exclusiveMaximum')],
  }
}

/**
 * Nearest lengths below and above the bounds of schemas.
 * @param of last part of the keywords, such as `Length` for `minLength` and `maxLength`
 * @param most upper bounds from this value on are left out
 */
export function lengthsOutside(
  schemas: readonly JsonObject[],
  of: 'Length' | 'Items',
  most: number,
): { readonly low: readonly number[]; readonly high: readonly number[] } {
  return {
    low: bounds(schemas, `min${of}`).flatMap((least) => (least > 0 ? [least - 1] : [])),
    high: bounds(schemas, `max${of}`).flatMap((bound) => (bound < most ? [bound + 1] : [])),
  }
}

function bounds(schemas: readonly JsonObject[], keyword: string): readonly number[] {
  const found = schemas.flatMap((schema) => {
    const bound = member(schema, keyword)
    return typeof bound === 'number' ? [bound] : []
  })
  return [...new Set(found)]
}
