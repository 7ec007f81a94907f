import type { JsonValue } from '../contract/index.js'

/**
 * Serializes a JSON value with sorted members, so that equal values have equal texts. An absent value, such
 * as an omitted parameter, gives an empty text.
 */
export function canonicalJson(value: JsonValue | undefined): string {
  if (value === undefined) return ''
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  const members = Object.entries(value)
    .filter(([, inner]) => inner !== undefined)
    .map(([name, inner]) => [JSON.stringify(name), canonicalJson(inner)] as const)
    .sort(([one], [other]) => (one < other ? -1 : one > other ? 1 : 0))
  return `{${members.map(([name, inner]) => `${name}:${inner}`).join(',')}}`
}
