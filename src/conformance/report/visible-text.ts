/**
 * Matches invisible, control and bidirectional characters, and characters that XML forbids, except line
 * breaks.
 */
const unseen = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Noncharacter_Code_Point}]/gu

/** Makes untrusted text safe to display by escaping invisible characters. */
export function visibleText(text: string): string {
  return text.replaceAll(unseen, (character) => {
    const code = character.codePointAt(0) ?? 0
    return code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, '0')}`
  })
}
