/** What is not seen, redraws a terminal, turns the direction of text, or may not stand in XML; line ends may. */
const unseen = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Noncharacter_Code_Point}]/gu

/** Text of a target or a contract, safe to show: what would not be seen stands there as its code. */
export function visibleText(text: string): string {
  return text.replaceAll(unseen, (character) => {
    const code = character.codePointAt(0) ?? 0
    return code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, '0')}`
  })
}
