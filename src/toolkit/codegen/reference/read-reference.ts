import type { Token } from 'markdown-it'
import { createIds, type NewId } from './html-text.js'
import { anchor } from './markdown.js'
import { type Block, type Links, markdownBlocks, spanText } from './markdown-html.js'

/** A method or an object with its own section of the page. */
export interface ReferenceItem {
  readonly id: string
  readonly name: string
  /** The group in the table of contents; empty if methods are not grouped. */
  readonly group: string
  readonly deprecated: boolean
  /** What stands before the first part. */
  readonly lead: readonly Block[]
  readonly parts: readonly ReferencePart[]
}

/** A part of an item, such as its parameters: bold text stands above it. */
export interface ReferencePart {
  readonly heading: string
  readonly blocks: readonly Block[]
}

/** A chapter of the page: text, then items. */
export interface ReferenceChapter {
  readonly id: string
  readonly heading: string
  readonly blocks: readonly Block[]
  readonly items: readonly ReferenceItem[]
}

/** REFERENCE.md, with ids for its parts and link targets. */
export interface ReadReference {
  /** Title and version of the contract, in Markdown. */
  readonly title: string
  readonly lead: readonly Block[]
  readonly chapters: readonly ReferenceChapter[]
  readonly links: Links
}

/** Ids of the page's own elements. */
export const pageIds = { search: 'search', found: 'found', contents: 'contents', main: 'main' } as const

/** Chapters whose row names are unique in the contract. Code spans with such a name link to the row. */
const namedRows = new Set(['Errors', 'Limits', 'Rules'])
/** Chapters with items, and the beginning of the items' ids. */
const itemPrefixes: Readonly<Record<string, string>> = { Methods: 'method', Objects: 'object' }

/** Reads the Markdown that `emitReference` makes. */
export function readReference(markdown: string): ReadReference {
  const newId = createIds(Object.values(pageIds))
  // The header of generated files is a comment, which the parser would show.
  const [lead, ...sections] = sectionsOf(markdownBlocks(markdown.replace(/^<!--[\s\S]*?-->\n/, '')), 'h2')
  const [, top] = sectionsOf(lead?.blocks ?? [], 'h1')
  const blocks = top?.blocks ?? []
  const chapters = sections.map((section) => readChapter(section, newId))
  return {
    title: top?.heading ?? '',
    lead: chapters.length === 0 ? blocks : blocks.slice(0, contentsAt(blocks)),
    chapters,
    links: linksOf(chapters, newId),
  }
}

interface Section {
  readonly heading: string
  readonly blocks: readonly Block[]
}

/** Splits blocks at the headings of one level. The first section is what stands before them. */
function sectionsOf(blocks: readonly Block[], tag: string): readonly Section[] {
  const sections: { heading: string; blocks: Block[] }[] = [{ heading: '', blocks: [] }]
  for (let at = 0; at < blocks.length; at += 1) {
    const block = blocks[at]
    if (
      isToken(block) &&
      block.type === 'heading_open' &&
      block.tag === tag &&
      block.level === 0 &&
      block.markup.startsWith('#')
    ) {
      const text = blocks[at + 1]
      sections.push({ heading: isToken(text) ? plainOf(text) : '', blocks: [] })
      at += 2
    } else if (block !== undefined) sections.at(-1)?.blocks.push(block)
  }
  return sections
}

/** The text of a heading, without its markup. */
const plainOf = ({ children, content }: Token): string =>
  children?.map((child) => child.content).join('') ?? content

function readChapter({ heading, blocks }: Section, newId: NewId): ReferenceChapter {
  const id = newId('', anchor(heading))
  const prefix = itemPrefixes[heading]
  if (prefix === undefined) return { id, heading, blocks, items: [] }
  const [own, ...sections] = sectionsOf(blocks, 'h3')
  const groups = groupsOf(own?.blocks ?? [])
  const items = sections.map((section) => readItem(section, newId(prefix, section.heading), groups))
  return { id, heading, blocks: own?.blocks ?? [], items }
}

function readItem(
  { heading: name, blocks }: Section,
  id: string,
  groups: ReadonlyMap<string, string>,
): ReferenceItem {
  const [lead, ...parts] = partsOf(blocks)
  const [, first] = lead?.blocks ?? []
  const deprecated = isToken(first) && first.content === '**Deprecated.**'
  return { id, name, group: groups.get(name) ?? '', deprecated, lead: lead?.blocks ?? [], parts }
}

/** Splits blocks at paragraphs that are bold words. */
function partsOf(blocks: readonly Block[]): readonly ReferencePart[] {
  const parts: { heading: string; blocks: Block[] }[] = [{ heading: '', blocks: [] }]
  for (let at = 0; at < blocks.length; at += 1) {
    const [open, text, close] = blocks.slice(at, at + 3)
    const isParagraph = isToken(open) && open.type === 'paragraph_open' && open.level === 0
    const heading = isParagraph && isToken(text) && boldWords(text)
    if (heading && close !== undefined) {
      parts.push({ heading, blocks: [] })
      at += 2
    } else if (open !== undefined) parts.at(-1)?.blocks.push(open)
  }
  return parts
}

const boldWords = ({ content }: Token): string | undefined => /^\*\*([A-Z][\w ]*)\*\*$/.exec(content)?.[1]

/** The group of each method: the bold words above the table that lists it. */
function groupsOf(blocks: readonly Block[]): ReadonlyMap<string, string> {
  const groups = new Map<string, string>()
  let group = ''
  for (const block of blocks) {
    if (isToken(block)) group = /^\*\*(.+)\*\*$/.exec(block.content)?.[1] ?? group
    else for (const [cell] of block.rows) if (cell !== undefined) groups.set(plainOf(cell), group)
  }
  return groups
}

/** Where the list of chapters begins: the last list before the chapters. */
function contentsAt(blocks: readonly Block[]): number {
  return blocks.findLastIndex(
    (block) => isToken(block) && block.type === 'bullet_list_open' && block.level === 0,
  )
}

const isToken = (block: Block | undefined): block is Token => block !== undefined && !('rows' in block)

function linksOf(chapters: readonly ReferenceChapter[], newId: NewId): Links {
  const items = chapters.flatMap((chapter) => chapter.items)
  const rows = new Map<Block, readonly string[]>()
  const named = new Map(items.map(({ name, id }) => [name, id]))
  const anchors = new Map(
    [...items, ...chapters.map(({ id, heading: name }) => ({ id, name }))].map(({ name, id }) => [
      anchor(name),
      id,
    ]),
  )
  for (const { id, heading, blocks } of chapters) {
    const listed = new Set<string>()
    for (const block of blocks) {
      if (isToken(block) || !/^(?:Name|Id)$/.test(block.columns[0]?.content ?? '')) continue
      const names = block.rows.map(([cell]) => (cell ? spanText(cell) : ''))
      // A name that several tables of a chapter list is no stable anchor.
      const ids = names.map((name) => (listed.has(name) ? '' : newId(id, name)))
      for (const name of names) listed.add(name)
      rows.set(block, ids)
      if (!namedRows.has(heading)) continue
      for (const [at, name] of names.entries()) if (!named.has(name)) named.set(name, ids[at] ?? id)
    }
  }
  return {
    named: (name) => named.get(name),
    anchored: (target, text) => named.get(text.replace(/(?:\[\])+$/, '')) ?? anchors.get(target),
    rowId: (table, row) => rows.get(table)?.[row],
  }
}
