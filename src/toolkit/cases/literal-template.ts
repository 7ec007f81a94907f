import { isArray, isObject, type JsonObject, type JsonValue } from '../contract/index.js'

/** Escapes a value for use as a scenario template, so that `${` stays literal. */
export function literalTemplate<Value extends JsonValue>(value: Value): Value
export function literalTemplate(value: JsonValue): JsonValue {
  if (typeof value === 'string') return literalText(value)
  if (isArray(value)) return value.map((item) => literalTemplate(item))
  return isObject(value) ? eachMember(value, (inner) => literalTemplate(inner)) : value
}

/** Matches every value, and none. */
const anything: JsonValue = { '$one-of': [{ $absent: true }, { $not: { $absent: true } }] }

/**
 * Escapes a value for use as a scenario matcher. An object with a member that looks like a matcher is wrapped in `$is`.
 * @param volatile paths of parts that match every value, in which `*` stands for every item
 */
export function literalMatcher(value: JsonValue, volatile: readonly (readonly string[])[] = []): JsonValue {
  if (volatile.some(({ length }) => length === 0)) return anything
  const below = (name: string) =>
    volatile.flatMap(([first, ...rest]) => (first === name || first === '*' ? [rest] : []))
  if (isArray(value)) return value.map((item, at) => literalMatcher(item, below(String(at))))
  if (!isObject(value)) return literalTemplate(value)
  const members = eachMember(value, (inner, name) => literalMatcher(inner, below(name)))
  // Further members may be volatile ones that the value does not show.
  if (volatile.length > 0) return { $has: members }
  const names = Object.keys(value)
  const looksLikeMatcher = names.some((name) => name.startsWith('$'))
  return looksLikeMatcher ? { $is: literalTemplate(value) } : members
}

function eachMember(value: JsonObject, change: (value: JsonValue, name: string) => JsonValue): JsonObject {
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [literalText(name), change(inner ?? null, name)]),
  )
}

function literalText(text: string): string {
  // A function, because a replacement string would turn `$$` into `$`.
  return text.replaceAll('${', () => '$${')
}
