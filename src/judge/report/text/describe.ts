import {
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  member,
} from '../../../toolkit/contract/index.js'

/** Maximum length of a description, in UTF-16 code units. */
const LONGEST = 200

/**
 * Describes a value in a text of bounded length. Null and empty values are described in words, and long lists
 * and strings with their length.
 * @param absent the words for undefined
 */
export function describe(value: JsonValue | undefined, absent = 'absent'): string {
  if (value === undefined) return absent
  if (value === '') return 'an empty string'
  if (isArray(value) && value.length === 0) return 'an empty list'
  // Counted once, because a hostile response can have hundreds of thousands of members.
  const members = isObject(value) ? Object.keys(value).length : 0
  if (isObject(value) && members === 0) return 'an empty object'
  const text = preview(value, LONGEST + 1)
  if (text.length <= LONGEST) return text
  if (isArray(value)) return cut(`a list of ${count(value.length)}: ${text}`)
  if (isObject(value)) return cut(`an object of ${count(members)} members: ${text}`)
  if (typeof value === 'string') return `${cut(text, LONGEST - 30)} (${count(value.length)} characters)`
  return cut(text)
}

/**
 * Describes an object. If it is too long to be shown whole, describes one member: its value if it is there, otherwise
 * the names of the others.
 * @param name the member that is missing, or must not be there
 */
export function describeMember(value: JsonValue | undefined, name: string): string {
  const whole = describe(value)
  if (!isObject(value) || !whole.startsWith('an object of ')) return whole
  const found = member(value, name)
  if (found !== undefined) return cut(`${JSON.stringify(name)}: ${describe(found)}`)
  const names = Object.keys(value)
  return cut(`an object of ${count(names.length)} members without it: ${names.slice(0, LONGEST).join(', ')}`)
}

/** Describes a list with its length first, if it has items. */
export function describeList(list: readonly JsonValue[]): string {
  const text = describe(list)
  if (list.length === 0 || text.startsWith('a list of ')) return text
  return cut(`a list of ${count(list.length)}: ${text}`)
}

/** Truncates a text with a final …, without splitting a character. */
export function cut(text: string, longest = LONGEST): string {
  if (text.length <= longest) return text
  const last = text.charCodeAt(longest - 2)
  const splits = last >= 0xd800 && last <= 0xdbff
  return `${text.slice(0, splits ? longest - 2 : longest - 1)}…`
}

/** `10,203`. */
export function count(number: number): string {
  return String(number).replaceAll(/\B(?=(\d{3})+$)/g, ',')
}

/** Returns the first `enough` or more code units of JSON text without visiting the rest of the value. */
function preview(value: JsonValue, enough: number): string {
  if (typeof value === 'string') return JSON.stringify(value.length > enough ? value.slice(0, enough) : value)
  if (typeof value !== 'object' || value === null) return String(value)
  const list = isArray(value)
  let text = list ? '[' : '{'
  let separator = ''
  for (const key of list ? value.keys() : Object.keys(value)) {
    const item = list ? value[key as number] : member(value as JsonObject, key as string)
    if (item === undefined) continue
    text += list ? separator : `${separator}${JSON.stringify(key)}:`
    separator = ','
    if (text.length >= enough) return text
    text += preview(item, enough - text.length)
  }
  return text + (list ? ']' : '}')
}
