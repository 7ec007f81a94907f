import type { JsonValue } from '../json.js'
import { canonicalText } from './canonical.js'

/** How much of a value is shown in a reason, in characters, and how many values of a list. */
const shownCharacters = 60
const shownItems = 5

/** A value of the document in a sentence: as JSON, cut where it is long. */
export function shown(value: JsonValue | undefined): string {
  if (value === undefined) return 'nothing'
  const text = canonicalText(value)
  const characters = [...text]
  return characters.length <= shownCharacters ? text : `${characters.slice(0, shownCharacters).join('')}…`
}

/** `a, b and c`, or the first few and how many more there are. */
export function listed(items: readonly string[], most: number = shownItems): string {
  const kept = items.length > most + 1 ? items.slice(0, most) : items
  const more = items.length - kept.length
  const parts = more > 0 ? [...kept, `${more} more`] : kept
  const last = parts.at(-1) ?? ''
  return parts.length < 2 ? last : `${parts.slice(0, -1).join(', ')} and ${last}`
}

/** `value 1` or `values 1 and 2`. */
export function counted(noun: string, values: readonly JsonValue[]): string {
  return `${noun}${values.length === 1 ? '' : 's'} ${listed(values.map(shown))}`
}
