/** Where a text may be broken: a number and what it counts, and the parts of a long number, stay together. */
const BREAK = /(?<!\d) /

/** Narrower than this, in characters, nothing is gained. */
const NARROWEST = 20

/**
 * Breaks a text between words, so that its lines end before the terminal does; words that are too long stay whole.
 * @param indent characters in front of the first line, and spaces in front of each line behind it
 * @param columns characters of a line; undefined for lines of any length, as programs want them
 */
export function wrapText(text: string, indent: number, columns: number | undefined): string {
  const room = columns === undefined ? undefined : columns - indent
  if (room === undefined || room < NARROWEST || text.length <= room) return text
  const lines: string[] = []
  let line = ''
  for (const word of text.split(BREAK)) {
    if (line !== '' && line.length + 1 + word.length > room) {
      lines.push(line)
      line = word
    } else line = line === '' ? word : `${line} ${word}`
  }
  return [...lines, line].join(`\n${' '.repeat(indent)}`)
}
