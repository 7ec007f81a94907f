import { isArray, isObject, type JsonValue } from './json.js'

/**
 * Returns a canonical text of a value, independent of the order of object members. Equal values have equal
 * texts.
 */
export function canonicalText(value: JsonValue | undefined): string {
  if (isArray(value)) return `[${value.map(canonicalText).join(',')}]`
  if (!isObject(value)) return value === undefined ? '' : JSON.stringify(value)
  const members = Object.entries(value).filter(([, item]) => item !== undefined)
  members.sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${members.map(([name, item]) => `${JSON.stringify(name)}:${canonicalText(item)}`).join(',')}}`
}

/** Returns true if two values are equal as JSON. */
export function sameJson(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  return a === b || canonicalText(a) === canonicalText(b)
}

/** Returns the values that are only in one of two lists, each once. */
export function listChanges(before: readonly JsonValue[], after: readonly JsonValue[]) {
  const without = (list: readonly JsonValue[], others: readonly JsonValue[]) => {
    const seen = new Set(others.map(canonicalText))
    return list.filter((value) => {
      const text = canonicalText(value)
      const isNew = !seen.has(text)
      seen.add(text)
      return isNew
    })
  }
  return { added: without(after, before), removed: without(before, after) }
}
