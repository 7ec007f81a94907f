import { lineDiff, type WritePlan } from '../../toolkit/codegen/index.js'
import { printable } from '../../toolkit/text/index.js'

/** Maximum number of changed lines shown for a file, and maximum length of a line in characters. */
const shownMost = { lines: 40, characters: 160 } as const

/** Describes what writing would do to each file, with counts and contents of changed lines. */
export function dryRunLines({ missing, stale, left }: WritePlan): readonly string[] {
  return [
    ...missing.map(({ path, content }) => fileLine('new', path, `+${content.split('\n').length - 1}`)),
    ...stale.flatMap(({ path, content, previous }) => {
      const { added, removed, lines } = lineDiff(previous, content)
      return [fileLine('changed', path, `+${added} -${removed}`), ...shortened(lines)]
    }),
    ...left.map((path) => fileLine('removed', path, '')),
  ]
}

function fileLine(word: string, path: string, counts: string): string {
  return `${word.padEnd(8)} ${path} ${counts}`.trimEnd()
}

function shortened(lines: readonly string[]): readonly string[] {
  const shown = lines.slice(0, shownMost.lines).map((line) => {
    const text = printable(line)
    return text.length > shownMost.characters ? `${text.slice(0, shownMost.characters - 1)}…` : text
  })
  const more = lines.length - shown.length
  return more > 0 ? [...shown, `… ${more} more lines`] : shown
}
