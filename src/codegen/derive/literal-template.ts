import { isArray, isObject, type JsonObject, type JsonValue } from '../../contract/index.js'

/** A value as a scenario's template: what looks like a variable stands for itself. */
export function literalTemplate<Value extends JsonValue>(value: Value): Value
export function literalTemplate(value: JsonValue): JsonValue {
  if (typeof value === 'string') return literalText(value)
  if (isArray(value)) return value.map((item) => literalTemplate(item))
  return isObject(value) ? eachMember(value, literalTemplate) : value
}

/** A value as a scenario's matcher: an object that looks like a test stands for itself (`$is`). */
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
  // A function, because in a replacement `$$` stands for `$`.
  return text.replaceAll('${', () => '$${')
}
