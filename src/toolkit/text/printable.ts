/**
 * Characters that can change a terminal's display, or that XML forbids: control characters, line separators, text
 * direction marks, unpaired surrogates and noncharacters.
 */
const unprintable = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Noncharacter_Code_Point}]/gu

/** Makes text safe to print in one line by escaping control characters. */
export function printable(text: string): string {
  return text.replaceAll(unprintable, escaped)
}

/** Makes text of several lines safe to print. */
export function printableLines(text: string): string {
  return text.split('\n').map(printable).join('\n')
}

function escaped(character: string): string {
  const code = character.codePointAt(0) ?? 0
  return code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, '0')}`
}

/** Makes JSON safe to print. Control characters in strings become escapes with the same meaning. */
export function printableJson(json: string): string {
  return json.replaceAll(unprintable, (character) =>
    character === '\n'
      ? character
      : [...Array(character.length).keys()]
          .map((at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`)
          .join(''),
  )
}

/** Makes all strings of a value safe to print. Line ends are kept. */
export function printableIn<Value>(value: Value): Value {
  return safe(value) as Value
}

function safe(value: unknown): unknown {
  if (typeof value === 'string') return printableLines(value)
  if (Array.isArray(value)) return value.map(safe)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, safe(inner)]))
}

/** Removes control characters and normalizes line endings to `\n`. */
export function plainText(text: string): string {
  return text.replaceAll(/\r\n?|[\u0085\u2028\u2029]/g, '\n').replaceAll(/[^\P{Cc}\n\t]|\ufeff/gu, '')
}

/** Joins text to one line. */
export function oneLine(text: string): string {
  return plainText(text).replaceAll(/\s+/g, ' ').trim()
}
