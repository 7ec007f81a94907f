import { type MarkdownSection, markdownLines, sectionsOf, slugOf } from './markdown-text.js'

/** A page that is made of a part of the reference. Its links are still those within the whole reference. */
export interface ReferencePage {
  /** Path on the site, without the ending. */
  readonly route: string
  readonly markdown: string
  /** The anchors of the reference that lead to this page: to its top, or to its headings. */
  readonly anchors: { readonly top: string; readonly headings: readonly string[] }
  /** The anchors of the reference that the page has, too: links to them stay on the page. */
  readonly repeated: ReadonlySet<string>
}

/**
 * Splits REFERENCE.md, which `concordat generate` makes, into pages: an overview with the list of methods, one page
 * for each method with the objects that it names, and one for each other chapter.
 * @param tryIt returns the URL at which users try a method; undefined if there is none
 */
export function referencePages(
  reference: string,
  tryIt: (method: string) => string | undefined,
): readonly ReferencePage[] {
  const [lead, ...chapters] = sectionsOf(reference, '## ')
  const methods = chapters.find(({ heading }) => heading === 'Methods')
  const [list, ...sections] = sectionsOf(methods?.lines.join('\n') ?? '', '### ')
  const others = chapters.filter((chapter) => chapter !== methods)
  const overview = {
    route: 'reference/index',
    markdown: text('Reference', [...overviewLead(lead?.lines ?? []), '', ...(list?.lines ?? [])]),
    anchors: { top: slugOf('Methods'), headings: [] },
    repeated: new Set<string>(),
  }
  const chapter = chapters.find(({ heading }) => heading === 'Objects')
  const objects = sectionsOf(chapter?.lines.join('\n') ?? '', '### ').slice(1)
  const pages = sections.map((section) => methodPage(section, objects, tryIt(section.heading)))
  return [overview, ...pages, ...others.map(chapterPage)]
}

/** The description of the contract, without its title and the table of contents. */
function overviewLead(lines: readonly string[]): readonly string[] {
  const title = lines.findIndex((line) => line.startsWith('# '))
  return lines
    .slice(title + 1)
    .filter((line) => !line.startsWith('+ ['))
    .map((line) => line.trimEnd())
}

/** The parts of a method, which the reference writes in bold, become headings of its page. Its objects follow. */
function methodPage(
  { heading, lines }: MarkdownSection,
  objects: readonly MarkdownSection[],
  url: string | undefined,
): ReferencePage {
  const body = markdownLines(lines.join('\n')).map(({ text, isCode }) =>
    isCode ? text : text.replace(/^\*\*([A-Z][a-z ]+)\*\*$/, '## $1'),
  )
  const link = url === undefined ? [] : ['', `[Try it](${url}) with a key of yours.`]
  const named = namedObjects(lines, objects)
  const shown = named.flatMap((object) => [`### ${object.heading}`, ...object.lines])
  return {
    route: `reference/${heading}`,
    markdown: text(heading, [
      ...body,
      ...link,
      ...(shown.length === 0 ? [] : ['', '## Objects', '', ...shown]),
    ]),
    anchors: { top: slugOf(heading), headings: [] },
    repeated: new Set(named.map((object) => slugOf(object.heading))),
  }
}

/** The objects that these lines link to, and those that these objects link to, in the order of the reference. */
function namedObjects(
  lines: readonly string[],
  objects: readonly MarkdownSection[],
): readonly MarkdownSection[] {
  const found = new Set<MarkdownSection>()
  const open = [lines]
  for (const part of open) {
    const anchors = new Set([...part.join('\n').matchAll(/\]\(#([^\s)]*)/g)].map(([, anchor]) => anchor))
    for (const object of objects) {
      if (found.has(object) || !anchors.has(slugOf(object.heading))) continue
      found.add(object)
      open.push(object.lines)
    }
  }
  return objects.filter((object) => found.has(object))
}

function chapterPage({ heading, lines }: MarkdownSection): ReferencePage {
  const body = markdownLines(lines.join('\n')).map((line) => ({
    ...line,
    heading: !line.isCode && line.text.startsWith('### ') ? line.text.slice(4) : undefined,
  }))
  return {
    route: `reference/${slugOf(heading)}`,
    markdown: text(
      heading,
      body.map((line) => (line.heading === undefined ? line.text : `## ${line.heading}`)),
    ),
    anchors: {
      top: slugOf(heading),
      headings: body.flatMap((line) => (line.heading === undefined ? [] : slugOf(line.heading))),
    },
    repeated: new Set(),
  }
}

function text(title: string, lines: readonly string[]): string {
  return `# ${title}\n${lines.join('\n').trimEnd()}\n`
}
