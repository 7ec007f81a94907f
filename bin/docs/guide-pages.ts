import type { GuideChapter } from './guide-chapters.js'
import { headingAnchors, sectionsOf, slugOf } from './markdown-text.js'

/** A page that is made of a guide, with the anchors of the guide that it has. */
export interface GuidePage {
  readonly route: string
  readonly markdown: string
  readonly anchors: ReadonlySet<string>
}

/**
 * Returns the pages of a guide: itself, or if it has chapters, a first page and one for each chapter. The first page has
 * what stands before the first section, and lists the others with their sections. Links are still those within the guide.
 * @throws TypeError if a section of the guide is in no chapter, or a chapter names one that the guide lacks
 */
export function guidePages(
  route: string,
  markdown: string,
  chapters: readonly GuideChapter[] = [],
): readonly GuidePage[] {
  if (chapters.length === 0) return [{ route, markdown, anchors: new Set(headingAnchors(markdown).values()) }]
  const [lead, ...sections] = sectionsOf(markdown, '## ')
  const listed = chapters.flatMap((chapter) => chapter.sections)
  const missing = sections.filter(({ heading }) => !listed.includes(heading)).map(({ heading }) => heading)
  if (missing.length > 0) throw new TypeError(`${route}: guide-chapters.ts lacks ${missing.join(', ')}`)
  const folder = route.replace(/\/index$/, '')
  const pages = chapters.map((chapter) => {
    const texts = chapter.sections.map((name) => {
      const section = sections.find(({ heading }) => heading === name)
      if (section === undefined) throw new TypeError(`${route} has no section "${name}"`)
      return `## ${name}\n${section.lines.join('\n').trimEnd()}\n`
    })
    const text = `# ${chapter.title}\n\n${texts.join('\n')}`
    return {
      route: `${folder}/${chapter.slug}`,
      markdown: text,
      anchors: new Set(headingAnchors(text).values()),
    }
  })
  const contents = chapters.map(({ title, sections: names }) => {
    const links = names.map((name) => `[${name}](#${slugOf(name)})`)
    return `- **[${title}](#${slugOf(names[0] ?? '')})**: ${links.join(', ')}\n`
  })
  const first = `${lead?.lines.join('\n').trimEnd()}\n\n${contents.join('')}`
  return [{ route, markdown: first, anchors: new Set(headingAnchors(first).values()) }, ...pages]
}
