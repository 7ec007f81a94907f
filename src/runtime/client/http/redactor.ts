import type { JsonValue } from '@concordat/rpc'

/** The replacement for secrets. */
const mask = '•••••'

/** Length in characters from which a part of a secret is redacted anywhere. */
const pieceLength = 8

/**
 * Creates a function that replaces secrets in a text, ignoring case. Parts of eight or more characters are
 * replaced anywhere. Shorter secrets are replaced only as whole words, so that hex data is kept.
 * @param secrets the texts to replace
 */
export function createRedactor(secrets: readonly string[]): (text: string) => string {
  const words = secrets.filter((secret) => secret.length < pieceLength)
  const pieces = secrets.flatMap((secret) =>
    secret
      .slice(pieceLength - 1)
      .split('')
      .map((_, at) => secret.slice(at, at + pieceLength)),
  )
  // A run of positions where pieces begin, and the rest of the last piece.
  const run = `(?:(?=${anyOf(pieces)}).)+.{${pieceLength - 1}}`
  const pattern = new RegExp(`${run}|(?<![\\p{L}\\p{N}])${anyOf(words)}(?![\\p{L}\\p{N}])`, 'gisu')
  return (text) => text.replace(pattern, mask)
}

/** Returns a pattern that matches one of the texts, or nothing if there are none. */
function anyOf(texts: readonly string[]): string {
  const escaped = [...new Set(texts)].map((text) => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'))
  return escaped.length > 0 ? `(?:${escaped.join('|')})` : '(?!)'
}

/** Redacts every string and every member name of a parsed JSON value, in place and without recursion. */
export function redactJson<Value extends JsonValue | undefined>(
  value: Value,
  redact: (text: string) => string,
): Value {
  const root: Record<string, unknown> = { value }
  const open = [root]
  for (const object of open) {
    for (const [name, item] of Object.entries(object)) {
      const shown = Array.isArray(object) ? name : redact(name)
      if (shown !== name) delete object[name]
      const value = typeof item === 'string' ? redact(item) : item
      Object.defineProperty(object, shown, { value, configurable: true, enumerable: true, writable: true })
      if (typeof item === 'object' && item !== null) open.push(item as Record<string, unknown>)
    }
  }
  return root['value'] as Value
}
