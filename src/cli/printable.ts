/** Control characters, line separators and marks that turn the direction of text: what could redraw a terminal. */
const unprintable = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu

/** Text of a contract in one line, safe to write: what a terminal would obey is written as its code. */
export function printable(text: string): string {
  return text.replaceAll(unprintable, (character) => {
    const code = character.codePointAt(0) ?? 0
    return code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, '0')}`
  })
}

/** JSON text that is safe to write: its strings hold codes in place of such characters, and mean the same. */
export function printableJson(json: string): string {
  return json.replaceAll(unprintable, (character) =>
    character === '\n'
      ? character
      : [...Array(character.length).keys()]
          .map((at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`)
          .join(''),
  )
}

/** A value whose texts are safe to write; their line ends stay. */
export function printableIn<Value>(value: Value): Value {
  return safe(value) as Value
}

function safe(value: unknown): unknown {
  if (typeof value === 'string') return value.split('\n').map(printable).join('\n')
  if (Array.isArray(value)) return value.map(safe)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, safe(inner)]))
}
