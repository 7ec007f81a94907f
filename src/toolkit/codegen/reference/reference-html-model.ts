import { type Method, oneLine } from '../../contract/index.js'
import type { Source } from '../generated-file.js'
import { namedSchemas } from '../types/type-names.js'
import { createTypeWriter } from '../types/type-writer.js'
import { createIds, type NewId } from './html-text.js'
import { limitValues } from './limit-values.js'
import { anchor } from './markdown.js'
import { type Block, type Links, markdownBlocks, spanText } from './markdown-html.js'
import { errorsText, extensionChapters, serversText } from './reference-chapters.js'
import { curlText, type ShownExample, shownExample } from './reference-example.js'
import { methodParts } from './reference-method.js'
import { objectText } from './reference-objects.js'

/** A method or an object with its own section of the page. */
export interface ReferenceItem {
  readonly id: string
  readonly name: string
  /** The group in the table of contents; empty if grouping has no benefit. */
  readonly group: string
  readonly deprecated: boolean
  /** What stands before the first example. */
  readonly lead: readonly Block[]
  readonly parts: readonly ReferencePart[]
  readonly examples: readonly ShownExample[]
}

/** A part of an item. */
export interface ReferencePart {
  readonly heading: string
  readonly blocks: readonly Block[]
}

/** A chapter of the page: text or items. */
export interface ReferenceChapter {
  readonly id: string
  readonly heading: string
  readonly blocks: readonly Block[]
  readonly items: readonly ReferenceItem[]
}

/** The content of the page and its link targets. */
export interface ReferenceModel {
  readonly chapters: readonly ReferenceChapter[]
  readonly links: Links
}

/** Ids of the page's own elements. */
export const pageIds = {
  top: 'top',
  search: 'search',
  found: 'found',
  contents: 'contents',
  main: 'content',
} as const

/** Chapters whose row names are unique in the contract. Code spans with such a name link to the row. */
const namedRows = new Set(['Errors', 'Limits', 'Rules'])

/** Builds the content of the HTML page: that of REFERENCE.md, with ids. */
export function referenceModel(source: Source): ReferenceModel {
  const newId = createIds(Object.values(pageIds))
  const withValues = limitValues(source.contract)
  const read: Read = (text) => markdownBlocks(withValues(text))
  const chapter = (
    heading: string,
    text: string,
    items: readonly ReferenceItem[] = [],
  ): ReferenceChapter => ({
    id: newId('', anchor(heading)),
    heading,
    blocks: read(text),
    items,
  })
  const chapters = [
    chapter('Servers', serversText(source.contract)),
    chapter('Methods', curlText(source.contract), methodItems(source, newId, read)),
    chapter('Objects', '', objectItems(source, newId, read)),
    chapter('Errors', errorsText(source)),
    ...extensionChapters(source.contract).map(({ heading, text }) => chapter(heading, text)),
  ].filter(({ blocks, items }) => blocks.length + items.length > 0)
  return { chapters, links: linksOf(chapters, newId) }
}

type Read = (markdown: string) => readonly Block[]

function methodItems(source: Source, newId: NewId, read: Read): readonly ReferenceItem[] {
  const { methods } = source.contract
  const groups = new Set(methods.map(groupOf))
  const isGrouped = groups.size > 1 && groups.size < methods.length
  return methods.map((method) => {
    const { lead, parts } = methodParts(source, method)
    return {
      id: newId('method', method.name),
      name: oneLine(method.name),
      group: isGrouped ? groupOf(method) : '',
      deprecated: method.deprecated,
      lead: read(lead),
      parts: parts.map(({ heading, text }) => ({ heading, blocks: read(text) })),
      examples: method.examples.map((example) => shownExample(method, example)),
    }
  })
}

/** Returns a method's first tag, otherwise the part of its name before the first dot or underscore. */
function groupOf({ name, tags }: Method): string {
  return oneLine(tags[0] ?? /^[^._]+(?=[._])/.exec(name)?.[0] ?? 'other')
}

function objectItems({ contract, names }: Source, newId: NewId, read: Read): readonly ReferenceItem[] {
  const writer = createTypeWriter(contract, names)
  return namedSchemas(contract, names).map((schema) => ({
    id: newId('object', schema.name),
    name: schema.name,
    group: '',
    deprecated: false,
    lead: read(objectText(writer, schema)),
    parts: [],
    examples: [],
  }))
}

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
    for (const block of blocks) {
      if (!('rows' in block) || !/^(?:Name|Id)$/.test(block.columns[0]?.content ?? '')) continue
      const names = block.rows.map(([cell]) => (cell ? spanText(cell) : ''))
      const ids = names.map((name) => newId(id, name))
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
