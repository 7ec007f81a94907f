import { canonicalText, type JsonValue } from '../contract/index.js'

/** Maximum length of a value in a reason, in characters, and maximum number of list items. */
const shownCharacters = 60
const shownItems = 5

/** Formats a value for a message as JSON, cut if it is long. */
export function shown(value: JsonValue | undefined): string {
  if (value === undefined) return 'nothing'
  const text = canonicalText(value)
  const characters = [...text]
  return characters.length <= shownCharacters ? text : `${characters.slice(0, shownCharacters).join('')}…`
}

/** Formats a list: `a, b and c`, or the first items and the number of the others. */
export function listed(items: readonly string[], most: number = shownItems): string {
  const kept = items.length > most + 1 ? items.slice(0, most) : items
  const more = items.length - kept.length
  const parts = more > 0 ? [...kept, `${more} more`] : kept
  const last = parts.at(-1) ?? ''
  return parts.length < 2 ? last : `${parts.slice(0, -1).join(', ')} and ${last}`
}

/** Formats values with a noun: `value 1` or `values 1 and 2`. */
export function counted(noun: string, values: readonly JsonValue[]): string {
  return `${noun}${values.length === 1 ? '' : 's'} ${listed(values.map(shown))}`
}
