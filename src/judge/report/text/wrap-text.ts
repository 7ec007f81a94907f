/** Matches spaces where a line may break. A number stays with its unit, and digit groups stay together. */
const BREAK = /(?<!\d) /

/** Minimum width in characters. Narrower text is not wrapped. */
const NARROWEST = 20

/**
 * Wraps a text at spaces to fit the terminal. Long words stay whole.
 * @param indent characters before the first line, and spaces before all other lines
 * @param columns terminal width in characters; undefined for unlimited lines
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
