/** A type as text, and how tightly it holds together, so that brackets go where they must and nowhere else. */
export interface TypeText {
  readonly text: string
  readonly binds: 'tight' | 'intersection' | 'union'
  /** The members of a union, for a place that shows them one a line. */
  readonly members?: readonly string[]
}

/** A type that needs no brackets anywhere. */
export function tight(text: string): TypeText {
  return { text, binds: 'tight' }
}

/** Any JSON value. */
export const anyJson = tight('JsonValue')

/** A value that cannot be. */
export const never = tight('never')

/** One of several types; equal ones are said once, and with any JSON value among them it is any JSON value. */
export function union(types: readonly TypeText[]): TypeText {
  const flat = types.flatMap((type) => type.members?.map(unionMember) ?? type)
  const texts = unique(flat.filter(({ text }) => text !== 'never'))
  if (texts.some(({ text }) => text === anyJson.text)) return anyJson
  const [first, ...others] = texts
  if (!first) return never
  if (others.length === 0) return first
  const parts = texts.map(({ text, binds }) => (binds === 'intersection' ? `(${text})` : text))
  return { text: parts.join(' | '), binds: 'union', members: parts }
}

/** A member of another union: in brackets already where it has to be. */
function unionMember(text: string): TypeText {
  return tight(text)
}

/** Several types at once; any JSON value adds nothing. */
export function intersection(types: readonly TypeText[]): TypeText {
  const texts = unique(types.filter(({ text }) => text !== anyJson.text))
  const [first, ...others] = texts
  if (!first) return anyJson
  if (others.length === 0) return first
  if (texts.some(({ text }) => text === 'never')) return never
  return { text: texts.map(bracketed).join(' & '), binds: 'intersection' }
}

/** A list of any length. */
export function arrayOf(item: TypeText): TypeText {
  return tight(`readonly ${bracketed(item)}[]`)
}

/** A type in brackets where something binds to it more tightly. */
export function bracketed({ text, binds }: TypeText): string {
  const isList = text.startsWith('readonly ')
  return binds === 'tight' && !isList ? text : `(${text})`
}

function unique(types: readonly TypeText[]): readonly TypeText[] {
  const seen = new Set<string>()
  return types.filter(({ text }) => !seen.has(text) && seen.add(text))
}
