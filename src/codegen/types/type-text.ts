import { indentRest } from '../text.js'

/** The text of a type and how tightly it binds, which decides where parentheses are needed. */
export interface TypeText {
  readonly text: string
  readonly binds: 'tight' | 'intersection' | 'union'
  /** The members of a union, for output with one member per line. */
  readonly members?: readonly string[]
}

/** Returns a type that never needs parentheses. */
export function tight(text: string): TypeText {
  return { text, binds: 'tight' }
}

/** The type of any JSON value. */
export const anyJson = tight('JsonValue')

/** The type without values. */
export const never = tight('never')

/** Returns a union without duplicates. A union with `JsonValue` is `JsonValue`. */
export function union(types: readonly TypeText[]): TypeText {
  const flat = types.flatMap((type) => type.members?.map(unionMember) ?? type)
  const texts = unique(flat.filter(({ text }) => text !== 'never'))
  if (texts.some(({ text }) => text === anyJson.text)) return anyJson
  const [first, ...others] = texts
  if (!first) return never
  if (others.length === 0) return first
  const isCompleted = texts.some(hasLiterals)
  const parts = texts.map((type) => {
    if (isCompleted && type.text === 'string') return anyString.text
    return type.binds === 'intersection' ? `(${type.text})` : type.text
  })
  return { text: parts.join(' | '), binds: 'union', members: parts }
}

/** Returns true if a type is a string literal, or a union with one. */
export function hasLiterals({ text, members = [text] }: TypeText): boolean {
  return members.some((one) => /^['"]/.test(one))
}

/** Any string, in a union with literals. Editors would not complete the literals beside `string`. */
const anyString = tight('(string & {})')

/** Returns what follows `=` or `:` in a declaration. A union that is long goes on lines of its own. */
export function declared({ text, members }: TypeText, width: number): string {
  if (members === undefined || (text.length <= width && !text.includes('\n'))) return ` ${text}`
  return members.map((member) => `\n  | ${indentRest(indentRest(member))}`).join('')
}

/** Returns a type as a union member. The text already has its parentheses. */
function unionMember(text: string): TypeText {
  return tight(text)
}

/** Returns an intersection. `JsonValue` is dropped. */
export function intersection(types: readonly TypeText[]): TypeText {
  const texts = unique(types.filter(({ text }) => text !== anyJson.text))
  const [first, ...others] = texts
  if (!first) return anyJson
  if (others.length === 0) return first
  if (texts.some(({ text }) => text === 'never')) return never
  return { text: texts.map(bracketed).join(' & '), binds: 'intersection' }
}

/** Returns an array type. */
export function arrayOf(item: TypeText): TypeText {
  return tight(`readonly ${bracketed(item)}[]`)
}

/** Returns a type in parentheses if it binds less tightly than its context. */
export function bracketed({ text, binds }: TypeText): string {
  const isList = text.startsWith('readonly ')
  return binds === 'tight' && !isList ? text : `(${text})`
}

function unique(types: readonly TypeText[]): readonly TypeText[] {
  const seen = new Set<string>()
  return types.filter(({ text }) => !seen.has(text) && seen.add(text))
}
