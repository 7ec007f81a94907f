/** Control characters, line separators and marks that turn the direction of text: what could redraw a terminal. */
const unprintable = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu

/** Text of a contract in one line, safe to write: what a terminal would obey is written as its code. */
export function printable(text: string): string {
  return text.replaceAll(unprintable, (character) => {
    const code = character.codePointAt(0) ?? 0
    return code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, '0')}`
  })
}
