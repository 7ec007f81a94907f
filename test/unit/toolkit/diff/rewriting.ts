import type { JsonObject, JsonValue } from '../../../../src/toolkit/contract/index.js'

/** Rewrites a schema so that it accepts the same values, or returns undefined where the rule does not apply. */
export type Rewriting = (schema: JsonObject) => JsonObject | undefined

const { isArray } = Array
const isSchema = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !isArray(value)

/** Keywords that a schema of members can have beside others in another part. */
const apart = ['additionalProperties', 'unevaluatedProperties', 'patternProperties', '$ref', 'nullable']

/** Ten ways to say the same in other words. */
export const rewritings: Readonly<Record<string, Rewriting>> = {
  'a constant as a list': ({ const: constant, ...rest }) =>
    constant === undefined || 'enum' in rest ? undefined : { ...rest, enum: [constant] },
  'a list in another order': (schema) =>
    isArray(schema['enum']) ? { ...schema, enum: [...schema['enum']].reverse() } : undefined,
  'types as alternatives': ({ type, ...rest }) =>
    isArray(type) && !('anyOf' in rest) ? { ...rest, anyOf: type.map((one) => ({ type: one })) } : undefined,
  'null as an alternative': ({ nullable, ...rest }) =>
    nullable === true ? { anyOf: [{ type: 'null' }, rest] } : undefined,
  'a part of its own': (schema) => ({ allOf: [schema] }),
  'members in two parts': ({ properties, ...rest }) =>
    isSchema(properties) && !apart.some((name) => name in rest)
      ? { allOf: [rest, { properties }] }
      : undefined,
  'a dependency of the other dialect': ({ dependencies, ...rest }) =>
    isSchema(dependencies) && Object.values(dependencies).every(isArray)
      ? { ...rest, dependentRequired: dependencies }
      : undefined,
  'a redundant bound': (schema) =>
    'minLength' in schema || 'minItems' in schema ? undefined : { ...schema, minLength: 0, minItems: 0 },
  'required members in each alternative': ({ required, ...rest }) => {
    const forms = rest['anyOf']
    if (!isArray(required) || !isArray(forms) || !forms.every(isSchema)) return undefined
    return { ...rest, anyOf: forms.map((form) => ({ allOf: [{ required }, form] })) }
  },
  'alternatives inside an alternative': (schema) => {
    const forms = schema['anyOf']
    if (!isArray(forms) || forms.length < 2) return undefined
    const [first = {}, ...others] = forms
    return { ...schema, anyOf: [first, { anyOf: others }] }
  },
}

/** Changes a schema so that it may accept fewer values, or returns undefined where the rule does not apply. */
export const narrowings: Readonly<Record<string, Rewriting>> = {
  'an alternative less': (schema) => {
    const forms = schema['anyOf']
    return isArray(forms) && forms.length > 1 ? { ...schema, anyOf: forms.slice(1) } : undefined
  },
  'a listed value less': (schema) => {
    const listed = schema['enum']
    return isArray(listed) && listed.length > 1 ? { ...schema, enum: listed.slice(1) } : undefined
  },
  'a type less': (schema) => {
    const { type } = schema
    return isArray(type) && type.length > 1 ? { ...schema, type: type.slice(1) } : undefined
  },
  'a required member': (schema) => ({ allOf: [schema, { required: ['a'] }] }),
  'exactly one alternative': ({ anyOf: forms, ...rest }) =>
    isArray(forms) && !('oneOf' in rest) ? { ...rest, oneOf: forms } : undefined,
  'fewer members': (schema) => ({ ...schema, maxProperties: 1 }),
  'no null': (schema) => ({ allOf: [schema, { not: { type: 'null' } }] }),
}

/** Applies a rule to a schema, or to a schema inside it. */
export function rewritten(schema: JsonObject, rule: Rewriting, at: number): JsonObject | undefined {
  const places = inside(schema)
  for (let step = 0; step < places.length; step++) {
    const place = places[(at + step) % places.length] ?? []
    const found = rule(valueAt(schema, place))
    if (found) return replaced(schema, place, found) as JsonObject
  }
  return undefined
}

/** The places of the schemas in a schema, itself first. */
function inside(schema: JsonValue, place: readonly string[] = []): readonly (readonly string[])[] {
  if (!isSchema(schema)) return []
  const own = Object.entries(schema).flatMap(([keyword, value]) => {
    if (isArray(value) && ['anyOf', 'allOf', 'oneOf'].includes(keyword))
      return value.flatMap((form, at) => inside(form, [...place, keyword, String(at)]))
    if (keyword === 'properties' && isSchema(value))
      return Object.entries(value).flatMap(([name, form = true]) => inside(form, [...place, keyword, name]))
    return ['items', 'additionalProperties'].includes(keyword)
      ? inside(value ?? true, [...place, keyword])
      : []
  })
  return [place, ...own]
}

function valueAt(schema: JsonValue, place: readonly string[]): JsonObject {
  const found = place.reduce<JsonValue>((value, key) => (value as never)[key] as JsonValue, schema)
  return found as JsonObject
}

function replaced(value: JsonValue, [key, ...rest]: readonly string[], by: JsonValue): JsonValue {
  if (key === undefined) return by
  if (isArray(value)) return value.map((item, at) => (String(at) === key ? replaced(item, rest, by) : item))
  return Object.fromEntries(
    Object.entries(value as JsonObject).map(([name, inner = null]) => [
      name,
      name === key ? replaced(inner, rest, by) : inner,
    ]),
  )
}
