import { isArray, isObject, type JsonValue, member } from './json.js'

/**
 * Appends reference tokens to a pointer in fragment form: `#/methods` and `0` give `#/methods/0` (RFC 6901, section 6).
 * Of what a URI would have percent-encoded only the percent sign is: without it a pointer would be read as another.
 */
export function joinPointer(pointer: string, ...tokens: readonly (string | number)[]): string {
  return tokens.reduce<string>((joined, token) => `${joined}/${escapeToken(String(token))}`, pointer)
}

/** Appends a pointer as validators write it, `/a/0`, which is not percent-encoded (RFC 6901, section 5). */
export function joinPath(pointer: string, path: string): string {
  return pointer + escapePercent(path)
}

/**
 * Splits a pointer in fragment form into its reference tokens, percent-encoding undone.
 * @returns undefined where the text is no such pointer
 */
export function pointerTokens(pointer: string): readonly string[] | undefined {
  if (pointer === '#') return []
  if (!pointer.startsWith('#/')) return undefined
  const tokens = pointer.slice(2).split('/')
  try {
    return tokens.map((token) => decodeURIComponent(token).replaceAll('~1', '/').replaceAll('~0', '~'))
  } catch {
    return undefined
  }
}

/** The one spelling of a pointer, whatever was percent-encoded in it; undefined where the text is no pointer. */
export function canonicalPointer(pointer: string): string | undefined {
  const tokens = pointerTokens(pointer)
  return tokens && joinPointer('#', ...tokens)
}

/** The value that reference tokens lead to, undefined where they lead nowhere. */
export function valueAt(root: JsonValue, tokens: readonly string[]): JsonValue | undefined {
  let value: JsonValue | undefined = root
  for (const token of tokens) {
    if (isArray(value)) value = /^(0|[1-9]\d*)$/.test(token) ? value[Number(token)] : undefined
    else if (isObject(value)) value = member(value, token)
    else return undefined
  }
  return value
}

function escapeToken(token: string): string {
  // Most tokens have nothing to escape, and pointers are made by the ten thousands.
  if (!/[~/%]/.test(token)) return token
  return escapePercent(token.replaceAll('~', '~0').replaceAll('/', '~1'))
}

function escapePercent(text: string): string {
  return text.includes('%') ? text.replaceAll('%', '%25') : text
}
