import { printable } from '../text/index.js'

/** A heading with a list. */
export interface MarkdownSection {
  readonly heading: string
  readonly items: readonly string[]
}

/**
 * Formats a report: a title, a section for each group with items, and a summary.
 * @param title plain text
 * @param sections their items are Markdown
 * @param summary the last line, as Markdown
 */
export function markdownLines(
  title: string,
  sections: readonly MarkdownSection[],
  summary: string,
): readonly string[] {
  const filled = sections.filter(({ items }) => items.length > 0)
  return [
    `## ${escaped(title)}`,
    '',
    ...filled.flatMap(({ heading, items }) => [
      `### ${heading}`,
      '',
      ...items.map((item) => `- ${item}`),
      '',
    ]),
    summary,
  ]
}

/** Formats text as a code span. The fence is longer than any run of backticks inside (CommonMark 6.1). */
export function code(text: string): string {
  const content = printable(text)
  const runs = content.match(/`+/g) ?? []
  const fence = '`'.repeat(runs.reduce((longest, run) => Math.max(longest, run.length), 0) + 1)
  const space = /^`|`$|^ .* $/.test(content) || content === '' ? ' ' : ''
  return `${fence}${space}${content}${space}${fence}`
}

/** Escapes text so that Markdown shows it verbatim: no emphasis, link, HTML, mention or URL. */
export function escaped(text: string): string {
  return printable(text)
    .replaceAll(/[\\`*_[\]<>#|~&]/g, '\\$&')
    .replaceAll('@', '&#64;')
    .replaceAll('://', '&#58;//')
    .replaceAll(/www\./gi, (start) => start.replace('.', '&#46;'))
}
