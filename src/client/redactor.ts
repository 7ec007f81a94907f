import type { JsonValue } from '@concordat/rpc'

/** The replacement for secrets. */
const mask = '•••••'

/** Length in characters above which a part of a secret is redacted anywhere. */
const pieceLength = 8

/**
 * Creates a function that replaces secrets in a text, ignoring case. Parts of eight or more characters are
 * replaced anywhere. Shorter secrets are replaced only as whole words, so that hex data is kept.
 * @param secrets the texts to replace
 */
export function createRedactor(secrets: readonly string[]): (text: string) => string {
  const known = secrets.map((text) => text.toLowerCase())
  const pieces = new Set(
    known.flatMap((secret) =>
      Array.from({ length: Math.max(0, secret.length - pieceLength + 1) }, (_, at) =>
        secret.slice(at, at + pieceLength),
      ),
    ),
  )
  const words = known.filter((secret) => secret.length < pieceLength).map(escaped)
  const word = new RegExp(`(?<![\\p{L}\\p{N}])(?:${words.join('|')})(?![\\p{L}\\p{N}])`, 'giu')
  return (text) => {
    const withoutPieces = pieces.size > 0 ? replacePieces(text, pieces) : text
    return words.length > 0 ? withoutPieces.replace(word, mask) : withoutPieces
  }
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
}

/** Redacts every string and every member name of a parsed JSON value, in place and without recursion. */
export function redactJson(value: JsonValue, redact: (text: string) => string): JsonValue {
  const root: Record<string, unknown> = { value }
  for (const open = [root]; open.length > 0; ) {
    const object = open.pop() ?? {}
    for (const [name, item] of Object.entries(object)) {
      const shown = Array.isArray(object) ? name : redact(name)
      if (shown !== name) delete object[name]
      if (shown !== name || typeof item === 'string') {
        const value = typeof item === 'string' ? redact(item) : item
        Object.defineProperty(object, shown, { value, configurable: true, enumerable: true, writable: true })
      }
      if (typeof item === 'object' && item !== null) open.push(item as Record<string, unknown>)
    }
  }
  return root['value'] as JsonValue
}

function replacePieces(text: string, pieces: ReadonlySet<string>): string {
  const lower = text.toLowerCase()
  // Some characters change their length in lower case, which would shift positions.
  if (lower.length !== text.length) return replacePieces(lower, pieces)
  let kept = ''
  let from = 0
  for (let at = 0; at + pieceLength <= text.length; at += 1) {
    if (!pieces.has(lower.slice(at, at + pieceLength))) continue
    let end = at + pieceLength
    while (pieces.has(lower.slice(end - pieceLength + 1, end + 1))) end += 1
    kept += text.slice(from, at) + mask
    from = end
    at = end - 1
  }
  return kept + text.slice(from)
}
