import MarkdownIt, { type Token } from 'markdown-it'
import { escapeHtml } from './html-text.js'

/** A table. Its cells are tokens of type `inline`, and all rows have one cell for each column. */
interface Table {
  readonly columns: readonly Token[]
  readonly rows: readonly (readonly Token[])[]
}

/** A block of Markdown: a table, or any other token. */
export type Block = Table | Token

/** Resolves the link targets of a page. */
export interface Links {
  /** Returns the id for a fragment link such as `[Pet](#pet)`, or undefined if there is none. */
  readonly anchored: (anchor: string, text: string) => string | undefined
  /** Returns the id of the element that a code span names. */
  readonly named: (name: string) => string | undefined
  /** Returns the id of a table row; empty for an entry of the search without one. Rows are counted from 0. */
  readonly rowId: (table: Block, row: number) => string | undefined
}

/**
 * Parses CommonMark with tables, strikethrough and bare URLs. HTML is shown as text, and images as links.
 * Indented code is disabled, because escaped characters in indented prose would show their backslashes.
 */
const parser = new MarkdownIt({ linkify: true }).disable(['code', 'image'])
parser.normalizeLink = (url) => url

/** Parses Markdown into blocks. Blocks nested more than 100 levels deep are dropped. */
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

/** Returns the text of a cell that consists of one code span, otherwise the cell's Markdown. */
export function spanText({ children, content }: Token): string {
  const [first, ...others] = children ?? []
  return first?.type === 'code_inline' && others.length === 0 ? first.content : content
}

/** Returns the links without those of code spans. */
export function withoutNames(links: Links): Links {
  return { ...links, named: () => undefined }
}

/** Renders blocks as HTML. */
export function blocksHtml(blocks: readonly Block[], links: Links): string {
  return blocks.map((block) => ('rows' in block ? tableHtml(block, links) : tokenHtml(block, links))).join('')
}

/** Renders inline Markdown as HTML. */
export function inlineHtml(markdown: string, links: Links): string {
  return blocksHtml(parser.parseInline(markdown, {}), links)
}

/** HTML tags by token type. Headings become bold paragraphs, because the page has its own outline. */
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

/** Renders a token as HTML. Text is escaped. */
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

/** Renders a link to the web or inside the page. A link without a valid target is rendered as text. */
function linkHtml(open: Token, label: readonly Token[], links: Links): string {
  const html = blocksHtml(label, withoutNames(links))
  const href = String(open.attrGet('href') ?? '')
  if (/^(?:https?:\/\/|mailto:)/i.test(href))
    return `<a href="${escapeHtml(href)}" rel="noreferrer">${html}</a>`
  const text = label.map(({ content }) => content).join('')
  if (!href.startsWith('#')) return linkTo(undefined, html)
  // The title of a link to a limit is its name, which leads to its row.
  const named = links.named(String(open.attrGet('title') ?? ''))
  return linkTo(named ?? links.anchored(href.slice(1), text), html)
}

function linkTo(id: string | undefined, html: string): string {
  return id === undefined ? html : `<a href="#${escapeHtml(id)}">${html}</a>`
}

/** Names longer than this, in characters, can be broken at their joints. */
const nameCharacters = 14
/** Line breaks are allowed between words in `camelCase` and after separators. */
const nameJoint = /(?<=[a-z\d])(?=[A-Z][a-z])|(?<=[\w\]}][._/:-])(?=\w)/

/** Line breaks are also allowed after a slash in a path or URL. */
const pathJoint = /(?<=[^/]\/)(?=[^/])/

/** Renders a name, with `<wbr>` at the joints of a long one. After a hyphen, browsers break lines by themselves. */
function nameHtml(text: string): string {
  return text
    .split(/(?<=\s)/)
    .map((word) =>
      nameParts(word)
        .map(escapeHtml)
        .join('<wbr>')
        .replaceAll(/-<wbr>(?=[a-z])/gi, '-'),
    )
    .join('')
}

function nameParts(word: string): readonly string[] {
  return word.length > nameCharacters ? word.split(word.includes('/') ? pathJoint : nameJoint) : [word]
}

/** Renders preformatted code. */
export function preHtml(text: string): string {
  return `<pre><code>${escapeHtml(text)}</code></pre>\n`
}

/** Columns whose cells define a name, and therefore do not link to it. */
const ownNames = new Set(['Name', 'Id', 'Parameter', 'Member'])

/**
 * Renders a table. On narrow screens, CSS shows rows as lists, which removes the table semantics. Explicit
 * ARIA roles and column labels keep them.
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
    const item = id === undefined ? '' : `${id === '' ? '' : ` id="${escapeHtml(id)}"`} data-item`
    return `<tr role="row"${item}>${shown.join('')}</tr>\n`
  })
  return `<table role="table"${isCrowded ? ' class="crowded"' : ''}>\n<thead role="rowgroup"><tr role="row">${head.join('')}</tr></thead>\n<tbody role="rowgroup">\n${rows.join('')}</tbody>\n</table>\n`
}

/**
 * Characters that fit side by side on the narrowest screen that shows a table, and the same for a crowded
 * table.
 */
const tableCharacters = { least: 80, crowded: 105 }
/** Width of the gap between two columns and the minimum width of a breakable column, in characters. */
const columnCharacters = { gap: 1.5, least: 10 }

/**
 * Chooses the columns whose words can be broken anywhere so that the table fits: those with the longest words
 * first, names last. A crowded table switches to the list layout on wider screens than others.
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

/** Returns the length of the longest unbreakable text in these cells. Link URLs are not counted. */
function longestPart(cells: readonly Token[]): number {
  return cells
    .flatMap(({ content }) => content.split(/\s+|\]\(#[^)]*\)/))
    .flatMap(nameParts)
    .reduce((most, { length }) => Math.max(most, length), 0)
}
