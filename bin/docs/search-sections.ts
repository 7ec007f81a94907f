import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import { headingAnchors, markdownLines, plainText } from './markdown-text.js'

/** What readers call the subject of a section: by the source, and by the anchor, which is empty for a page. */
export const searchWords: Readonly<Record<string, Readonly<Record<string, string>>>> = parse(
  readFileSync(new URL('search-words.yaml', import.meta.url), 'utf8'),
)

/** A part of a page that the search finds. */
export interface SearchSection {
  /** Empty for the page as a whole. */
  readonly anchor: string
  /** The headings above it and its own, the page's title first. */
  readonly titles: string[]
  readonly text: string
  /** What readers call its subject ({@link searchWords}). */
  readonly words: string
}

/**
 * Splits a page at its headings, and adds the words of readers. Objects that a page of a method
 * repeats are found at the page of objects, and a page without a title has no sections.
 * @param source the file of the repository that the page comes from
 */
export function searchSections(source: string, markdown: string): SearchSection[] {
  const sections: { anchor: string; titles: string[]; lines: string[] }[] = []
  const anchors = headingAnchors(markdown)
  let titles: string[] = []
  for (const [at, { text, isCode }] of markdownLines(markdown).entries()) {
    const [, marks = '', heading = ''] = isCode ? [] : (/^(#{1,6}) (.*)/.exec(text) ?? [])
    if (marks === '') sections.at(-1)?.lines.push(text)
    else {
      titles = [...titles.slice(0, marks.length - 1), plainText(heading)]
      sections.push({ anchor: marks === '#' ? '' : (anchors.get(at) ?? ''), titles, lines: [] })
    }
  }
  return sections
    .filter((section) => section.titles[1] !== 'Objects' || section.titles.length < 2)
    .map(({ lines, ...section }) => ({
      ...section,
      text: plainText(lines.join('\n')),
      words: searchWords[source]?.[section.anchor] ?? '',
    }))
}
