import { isArray, isObject, type JsonObject, type JsonValue } from '../contract/index.js'

/** Escapes a value for use as a scenario template, so that `${` stays literal. */
export function literalTemplate<Value extends JsonValue>(value: Value): Value
export function literalTemplate(value: JsonValue): JsonValue {
  if (typeof value === 'string') return literalText(value)
  if (isArray(value)) return value.map((item) => literalTemplate(item))
  return isObject(value) ? eachMember(value, literalTemplate) : value
}

/** Escapes a value for use as a scenario matcher. An object that looks like a matcher is wrapped in `$is`. */
export function literalMatcher(value: JsonValue): JsonValue {
  if (isArray(value)) return value.map(literalMatcher)
  if (!isObject(value)) return literalTemplate(value)
  const names = Object.keys(value)
  const looksLikeTest = names.length > 0 && names.every((name) => name.startsWith('$'))
  return looksLikeTest ? { $is: literalTemplate(value) } : eachMember(value, literalMatcher)
}

function eachMember(value: JsonObject, change: (value: JsonValue) => JsonValue): JsonObject {
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [literalText(name), change(inner ?? null)]),
  )
}

function literalText(text: string): string {
  // A function, because a replacement string would turn `$$` into `$`.
  return text.replaceAll('${', () => '$${')
}
