/** A line of Markdown, and whether it belongs to a fenced code block (CommonMark 0.31, 4.5). */
export interface MarkdownLine {
  readonly text: string
  readonly isCode: boolean
}

/** Splits Markdown into lines. */
export function markdownLines(markdown: string): readonly MarkdownLine[] {
  let fence = ''
  return markdown.split('\n').map((text) => {
    const [, marker = ''] = /^ *(`{3,}|~{3,})/.exec(text) ?? []
    if (fence !== '') {
      if (marker.startsWith(fence) && text.trim() === marker) fence = ''
      return { text, isCode: true }
    }
    fence = marker
    return { text, isCode: marker !== '' }
  })
}

/** A heading, without its marks, and what stands below it. */
export interface MarkdownSection {
  readonly heading: string
  readonly lines: readonly string[]
}

/**
 * Splits Markdown at the headings of one level. The first section is what stands before them.
 * @param marker such as `## `
 */
export function sectionsOf(markdown: string, marker: string): readonly MarkdownSection[] {
  const sections: { heading: string; lines: string[] }[] = [{ heading: '', lines: [] }]
  for (const { text, isCode } of markdownLines(markdown)) {
    if (!isCode && text.startsWith(marker)) sections.push({ heading: text.slice(marker.length), lines: [] })
    else sections.at(-1)?.lines.push(text)
  }
  return sections
}

/** Removes the HTML blocks that are comments (CommonMark 0.31, 4.6, condition 2), each with the empty line after it. */
export function withoutComments(markdown: string): string {
  let inside = false
  let ended = false
  const kept = markdownLines(markdown).filter(({ text, isCode }) => {
    const starts = !isCode && /^ {0,3}<!--/.test(text)
    const dropped = inside || starts || (ended && text.trim() === '')
    inside = (inside || starts) && !text.includes('-->')
    ended = dropped && !inside && text.trim() !== ''
    return !dropped
  })
  return kept.map(({ text }) => text).join('\n')
}

/** Returns the text of the first heading. */
export function titleOf(markdown: string): string {
  const found = markdownLines(markdown).find(({ text, isCode }) => !isCode && text.startsWith('# '))
  return found?.text.slice(2).replaceAll('`', '').trim() ?? ''
}

/** Returns the anchor of a heading, as GitHub makes it. */
export function slugOf(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-')
}

/** Returns the anchors of all headings by the index of their line. Of equal ones, the second and further have a number. */
export function headingAnchors(markdown: string): ReadonlyMap<number, string> {
  const seen = new Map<string, number>()
  const anchors = new Map<number, string>()
  for (const [at, { text, isCode }] of markdownLines(markdown).entries()) {
    const [, heading] = isCode ? [] : (/^#{1,6} (.*)/.exec(text) ?? [])
    if (heading === undefined) continue
    const slug = slugOf(heading.replaceAll(/[`*]|\]\([^)]*\)/g, ''))
    const before = seen.get(slug) ?? 0
    seen.set(slug, before + 1)
    anchors.set(at, before === 0 ? slug : `${slug}-${before}`)
  }
  return anchors
}

/** Returns the words of Markdown: links without their targets, and no marks of code, tables and emphasis. */
export function plainText(markdown: string): string {
  return mapLinks(markdown, () => undefined)
    .replaceAll(/[`*|#]|(?<= )-{3,}(?= |$)/gm, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
}

/** A code span, which has no links, or an inline link or image with an optional title. */
const codeOrLink = /(`+)(?!`).+?(?<!`)\1(?!`)|(!?)\[((?:`[^`]*`|[^[\]`])*)\]\(([^()\s]+)((?: "[^"]*")?)\)/g

/**
 * Replaces the targets of links and images outside of code.
 * @param resolve returns the new target; undefined leaves only the text of the link
 */
export function mapLinks(markdown: string, resolve: (target: string) => string | undefined): string {
  const inLine = (line: string) =>
    line.replaceAll(codeOrLink, (whole, ticks, image, label, target, title) => {
      if (ticks !== undefined) return whole
      const found = resolve(target)
      return found === undefined ? label : `${image}[${label}](${found}${title})`
    })
  return markdownLines(markdown)
    .map(({ text, isCode }) => (isCode ? text : inLine(text)))
    .join('\n')
}
