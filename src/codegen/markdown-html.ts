import MarkdownIt, { type Token } from 'markdown-it'
import { escapeHtml } from './html-text.js'

/** A table; its cells are tokens of type `inline`, as many in each row as there are columns. */
interface Table {
  readonly columns: readonly Token[]
  readonly rows: readonly (readonly Token[])[]
}

/** A part of a Markdown text: a table, or a token of anything else. */
export type Block = Table | Token

/** Where the links of a page lead. */
export interface Links {
  /** The id that a link inside the text leads to, such as `pet` of `[Pet](#pet)`; undefined where there is none. */
  readonly anchored: (anchor: string, text: string) => string | undefined
  /** The id of what a code span names. */
  readonly named: (name: string) => string | undefined
  /** The id of a row of a table, by its place from 0. */
  readonly rowId: (table: Block, row: number) => string | undefined
}

/**
 * Reads CommonMark with tables, strikethrough and bare addresses. HTML is text, and an image is a link. Indented text
 * is no code, because prose escapes characters in it that code would show.
 */
const parser = new MarkdownIt({ linkify: true }).disable(['code', 'image'])
parser.normalizeLink = (url) => url

/** Reads a Markdown text. Blocks nested more than 100 deep are left out. */
export function markdownBlocks(markdown: string): readonly Block[] {
  const blocks: Block[] = []
  let rows: Token[][] | undefined
  for (const token of parser.parse(markdown, {})) {
    if (token.type === 'table_open') rows = []
    if (rows === undefined) blocks.push(token)
    else if (token.type === 'tr_open') rows.push([])
    else if (token.type === 'inline') rows.at(-1)?.push(token)
    else if (token.type === 'table_close') {
      const [columns = [], ...others] = rows
      blocks.push({ columns, rows: others })
      rows = undefined
    }
  }
  return blocks
}

/** The text of a cell that is one code span; otherwise its Markdown. */
export function spanText({ children, content }: Token): string {
  const [first, ...others] = children ?? []
  return first?.type === 'code_inline' && others.length === 0 ? first.content : content
}

/** The same links, without those of code spans that say a name. */
export function withoutNames(links: Links): Links {
  return { ...links, named: () => undefined }
}

/** Blocks as HTML, one after another. */
export function blocksHtml(blocks: readonly Block[], links: Links): string {
  return blocks.map((block) => ('rows' in block ? tableHtml(block, links) : tokenHtml(block, links))).join('')
}

/** Markdown of one line as HTML. */
export function inlineHtml(markdown: string, links: Links): string {
  return blocksHtml(parser.parseInline(markdown, {}), links)
}

/** Tags of tokens. A heading is a paragraph in bold, because the page has an outline of its own. */
const tags: Readonly<Record<string, string>> = {
  paragraph_open: '<p>',
  paragraph_close: '</p>\n',
  heading_open: '<p><strong>',
  heading_close: '</strong></p>\n',
  bullet_list_open: '<ul>\n',
  bullet_list_close: '</ul>\n',
  ordered_list_open: '<ol>\n',
  ordered_list_close: '</ol>\n',
  list_item_open: '<li>',
  list_item_close: '</li>\n',
  blockquote_open: '<blockquote>\n',
  blockquote_close: '</blockquote>\n',
  hr: '<hr>\n',
  hardbreak: '<br>',
  softbreak: ' ',
  strong_open: '<strong>',
  strong_close: '</strong>',
  em_open: '<em>',
  em_close: '</em>',
  s_open: '<s>',
  s_close: '</s>',
}

/** A token as HTML: known tags, and escaped text. */
function tokenHtml(token: Token, links: Links): string {
  const { type, children, content, hidden } = token
  if (hidden) return ''
  if (type === 'inline') return inlineTokensHtml(children ?? [], links)
  if (type === 'fence') return preHtml(content.replace(/\n$/, ''))
  if (type === 'code_inline') return linkTo(links.named(content), `<code>${nameHtml(content)}</code>`)
  const start = type === 'ordered_list_open' ? token.attrGet('start') : null
  return start === null ? (tags[type] ?? escapeHtml(content)) : `<ol start="${Number(start)}">\n`
}

function inlineTokensHtml(tokens: readonly Token[], links: Links): string {
  let html = ''
  let link: { readonly open: Token; readonly label: Token[] } | undefined
  for (const token of tokens) {
    if (token.type === 'link_open') link = { open: token, label: [] }
    else if (link === undefined) html += tokenHtml(token, links)
    else if (token.type !== 'link_close') link.label.push(token)
    else {
      html += linkHtml(link.open, link.label, links)
      link = undefined
    }
  }
  return html
}

/** A link to the web or inside the page; a link that leads nowhere is its text. */
function linkHtml(open: Token, label: readonly Token[], links: Links): string {
  const html = blocksHtml(label, withoutNames(links))
  const href = String(open.attrGet('href') ?? '')
  if (/^(?:https?:\/\/|mailto:)/i.test(href))
    return `<a href="${escapeHtml(href)}" rel="noreferrer">${html}</a>`
  const text = label.map(({ content }) => content).join('')
  return linkTo(href.startsWith('#') ? links.anchored(href.slice(1), text) : undefined, html)
}

function linkTo(id: string | undefined, html: string): string {
  return id === undefined ? html : `<a href="#${escapeHtml(id)}">${html}</a>`
}

/** Longer names may be broken between their parts. */
const nameCharacters = 14
/** Between the words of `camelCase`, and behind what joins parts of a name. */
const nameJoint = /(?<=[a-z\d])(?=[A-Z][a-z])|(?<=[\w\]}][._/:-])(?=\w)/

/** Behind a slash of a path or an address, which has no other good place. */
const pathJoint = /(?<=[^/]\/)(?=[^/])/

/** A name as HTML: a long one is broken between its parts rather than anywhere. */
function nameHtml(text: string): string {
  return text
    .split(/(?<=\s)/)
    .map((word) => nameParts(word).map(escapeHtml).join('<wbr>'))
    .join('')
}

function nameParts(word: string): readonly string[] {
  return word.length > nameCharacters ? word.split(word.includes('/') ? pathJoint : nameJoint) : [word]
}

/** Code as it stands. */
export function preHtml(text: string): string {
  return `<pre><code>${escapeHtml(text)}</code></pre>\n`
}

/** Columns whose cells introduce a name, and therefore do not link to it. */
const ownNames = new Set(['Name', 'Id', 'Parameter', 'Member'])

/**
 * A table. On a narrow page its rows are lists of named cells, for which the style takes away what a browser knows of
 * tables: therefore every part says its role, and every cell the name of its column.
 */
function tableHtml(table: Table, links: Links): string {
  const { long, isCrowded } = columnsOf(table)
  const head = table.columns.map(
    (column) => `<th role="columnheader" scope="col">${tokenHtml(column, links)}</th>`,
  )
  const rows = table.rows.map((cells, row) => {
    const id = links.rowId(table, row)
    const shown = cells.map((cell, at) => {
      const column = table.columns[at]?.content ?? ''
      const isName = ownNames.has(column)
      const classes = [isName ? 'name' : '', long.has(at) ? 'long' : ''].filter(Boolean).join(' ')
      const name = classes === '' ? '' : ` class="${classes}"`
      const label = column === '' ? name : `${name} data-label="${escapeHtml(column)}"`
      return `<td role="cell"${label}>${tokenHtml(cell, isName ? withoutNames(links) : links)}</td>`
    })
    const item = id === undefined ? '' : ` id="${escapeHtml(id)}" data-item`
    return `<tr role="row"${item}>${shown.join('')}</tr>\n`
  })
  return `<table role="table"${isCrowded ? ' class="crowded"' : ''}>\n<thead role="rowgroup"><tr role="row">${head.join('')}</tr></thead>\n<tbody role="rowgroup">\n${rows.join('')}</tbody>\n</table>\n`
}

/** How many characters stand side by side where the page is narrowest for a table, and for a crowded one. */
const tableCharacters = { least: 80, crowded: 105 }
/** What the space between two columns takes, and what is left of a column whose words may be broken, in characters. */
const columnCharacters = { gap: 1.5, least: 10 }

/**
 * The columns whose words may be broken anywhere, so that all fit side by side: those with the longest words, names
 * last. A crowded table needs more room than others before it is shown as a table.
 */
function columnsOf({ columns, rows }: Table): { long: ReadonlySet<number>; isCrowded: boolean } {
  const widths = columns.map((column, at) =>
    longestPart([column, ...rows.flatMap((cells) => cells[at] ?? [])]),
  )
  const wanted = (at: number) => (ownNames.has(columns[at]?.content ?? '') ? 0 : (widths[at] ?? 0))
  let sum = widths.reduce((total, width) => total + width + columnCharacters.gap, 0)
  const isCrowded = sum > tableCharacters.least
  const long = new Set<number>()
  for (const at of [...widths.keys()].sort((one, other) => wanted(other) - wanted(one))) {
    if (sum <= tableCharacters.crowded) break
    long.add(at)
    sum -= Math.max(0, (widths[at] ?? 0) - columnCharacters.least)
  }
  return { long, isCrowded }
}

/** The length of the longest text in these cells that is not broken; where a link leads is not shown. */
function longestPart(cells: readonly Token[]): number {
  return cells
    .flatMap(({ content }) => content.split(/\s+|\]\(#[^)]*\)/))
    .flatMap(nameParts)
    .reduce((most, { length }) => Math.max(most, length), 0)
}
