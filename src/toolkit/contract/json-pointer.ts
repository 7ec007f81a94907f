import { isArray, isObject, type JsonValue, member } from './json.js'

/**
 * Appends reference tokens to a pointer in fragment form: `#/methods` and `0` give `#/methods/0` (RFC 6901,
 * section 6). Only the percent sign is percent-encoded, because unescaped it would change the pointer's
 * meaning.
 */
export function joinPointer(pointer: string, ...tokens: readonly (string | number)[]): string {
  return tokens.reduce<string>((joined, token) => `${joined}/${escapeToken(String(token))}`, pointer)
}

/** Appends a validator's path such as `/a/0`, which is not percent-encoded (RFC 6901, section 5). */
export function joinPath(pointer: string, path: string): string {
  return pointer + escapePercent(path)
}

/**
 * Splits a pointer in fragment form into decoded reference tokens.
 * @param pointer a pointer such as `#/methods/0`
 * @returns the tokens, or undefined if the text is not a pointer
 */
export function pointerTokens(pointer: string): readonly string[] | undefined {
  if (pointer === '#') return []
  if (!pointer.startsWith('#/')) return undefined
  const tokens = pointer.slice(2).split('/')
  try {
    // Fast path: most tokens need no decoding, and each reference has several.
    return tokens.map((token) =>
      /[~%]/.test(token) ? decodeURIComponent(token).replaceAll('~1', '/').replaceAll('~0', '~') : token,
    )
  } catch {
    return undefined
  }
}

/** Returns the canonical spelling of a pointer, or undefined if the text is not a pointer. */
export function canonicalPointer(pointer: string): string | undefined {
  const tokens = pointerTokens(pointer)
  return tokens && joinPointer('#', ...tokens)
}

/** Returns the value at the given reference tokens, or undefined if it does not exist. */
export function valueAt(root: JsonValue, tokens: readonly string[]): JsonValue | undefined {
  let value: JsonValue | undefined = root
  for (const token of tokens) {
    if (isArray(value)) value = /^(0|[1-9]\d*)$/.test(token) ? value[Number(token)] : undefined
    else if (isObject(value)) value = member(value, token)
    else return undefined
  }
  return value
}

/** Replaces the value at the given members; undefined if it does not exist. */
export function replacedAt(
  value: JsonValue | undefined,
  members: readonly string[],
  by: JsonValue,
): JsonValue | undefined {
  const [name, ...rest] = members
  if (name === undefined) return by
  if (!isObject(value) || member(value, name) === undefined) return undefined
  const inner = replacedAt(member(value, name), rest, by)
  return inner === undefined ? undefined : { ...value, [name]: inner }
}

function escapeToken(token: string): string {
  // Fast path: most tokens need no escaping, and tens of thousands of pointers are built.
  if (!/[~/%]/.test(token)) return token
  return escapePercent(token.replaceAll('~', '~0').replaceAll('/', '~1'))
}

function escapePercent(text: string): string {
  return text.includes('%') ? text.replaceAll('%', '%25') : text
}
