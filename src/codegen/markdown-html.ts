import { escapeHtml } from './html-text.js'
import type { Block } from './markdown-blocks.js'

type Table = Extract<Block, { kind: 'table' }>

/** Where the links of a page lead. */
export interface Links {
  /** The id that a link inside the text leads to, such as `pet` of `[Pet](#pet)`; undefined where there is none. */
  readonly anchored: (anchor: string, text: string) => string | undefined
  /** The id of what a code span names. */
  readonly named: (name: string) => string | undefined
  /** The id of a row of a table, by its place from 0. */
  readonly rowId: (table: Block, row: number) => string | undefined
}

/** Columns whose cells say a name for the first time: it leads nowhere else. */
const ownNames = new Set(['Name', 'Id', 'Parameter', 'Member'])

const inlineParts = new RegExp(
  [
    /(?<!`)(?<fence>`+)(?!`)(?<code>.+?)(?<!`)\k<fence>(?!`)/,
    /\\(?<escaped>[!-/:-@[-`{-~])/,
    /\[(?<label>(?:`[^`]*`|\\.|[^\]\\`])*)\]\((?<href>[^()\s]*)\)/,
    /\*\*(?=\S)(?<strong>[^*]+?)\*\*/,
    /(?<![\w*])\*(?=[^\s*])(?<emphasis>[^*]*?[^\s*])\*(?![\w*])/,
    /(?<url>https?:\/\/[^\s<>"'`|)\]]*[\w/])/,
    /&(?<entity>amp|lt|gt|quot);/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'gs',
)

const decoded: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"' }

/**
 * Markdown of one line as HTML; whatever is no Markdown is text.
 * @param links undefined inside a link, where there can be no other
 */
export function inlineHtml(markdown: string, links: Links | undefined): string {
  let end = 0
  let html = ''
  for (const match of markdown.matchAll(inlineParts)) {
    html += escapeHtml(markdown.slice(end, match.index)) + partHtml(match, links)
    end = match.index + match[0].length
  }
  return html + escapeHtml(markdown.slice(end))
}

/** The same links, without those of code spans that say a name. */
export function withoutNames(links: Links): Links {
  return { ...links, named: () => undefined }
}

function partHtml(match: RegExpMatchArray, links: Links | undefined): string {
  const { code, escaped, label, href, strong, emphasis, url, entity } = match.groups ?? {}
  if (code !== undefined) return codeHtml(code, links?.named(codeText(code)))
  if (escaped !== undefined) return escapeHtml(escaped)
  if (label !== undefined) return linkHtml(label, href ?? '', links)
  if (strong !== undefined) return `<strong>${inlineHtml(strong, links)}</strong>`
  if (emphasis !== undefined) return `<em>${inlineHtml(emphasis, links)}</em>`
  if (url !== undefined) return webLink(decodeEntities(url), escapeHtml(decodeEntities(url)), links)
  return escapeHtml(decoded[entity ?? ''] ?? '')
}

function decodeEntities(text: string): string {
  return text.replaceAll(/&(amp|lt|gt|quot);/g, (_, name: string) => decoded[name] ?? '')
}

/** What a code span says: one space on either side belongs to its fence (CommonMark, 6.1). */
export function codeText(code: string): string {
  return /^ .*[^ ].* $/s.test(code) ? code.slice(1, -1) : code
}

function codeHtml(code: string, id: string | undefined): string {
  const html = `<code>${nameHtml(codeText(code))}</code>`
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

/** A link to the web or inside the page; one that leads nowhere is its text. */
function linkHtml(label: string, target: string, links: Links | undefined): string {
  const html = inlineHtml(label, undefined)
  const href = decodeEntities(target)
  if (/^(?:https?:\/\/|mailto:)/i.test(href)) return webLink(href, html, links)
  const id = href.startsWith('#') ? links?.anchored(href.slice(1), label.replaceAll('`', '')) : undefined
  return id === undefined ? html : `<a href="#${escapeHtml(id)}">${html}</a>`
}

function webLink(href: string, html: string, links: Links | undefined): string {
  return links === undefined ? html : `<a href="${escapeHtml(href)}" rel="noreferrer">${html}</a>`
}

/** Blocks as HTML, one after another. */
export function blocksHtml(blocks: readonly Block[], links: Links): string {
  return blocks.map((block) => blockHtml(block, links)).join('')
}

function blockHtml(block: Block, links: Links): string {
  if (block.kind === 'code') return preHtml(block.text)
  if (block.kind === 'table') return tableHtml(block, links)
  if (block.kind === 'paragraph') return `<p>${inlineHtml(block.text, links)}</p>\n`
  const tag = block.ordered ? 'ol' : 'ul'
  const items = block.items.map((item) => `<li>${inlineHtml(item, links)}</li>\n`)
  return `<${tag}>\n${items.join('')}</${tag}>\n`
}

/** Code as it stands. */
export function preHtml(text: string): string {
  return `<pre><code>${escapeHtml(text)}</code></pre>\n`
}

/**
 * A table. On a narrow page its rows are lists of named cells, for which the style takes away what a browser knows of
 * tables: therefore every part says its role, and every cell the name of its column.
 */
function tableHtml(table: Table, links: Links): string {
  const { long, isCrowded } = columnsOf(table)
  const head = table.columns.map(
    (column) => `<th role="columnheader" scope="col">${inlineHtml(column, links)}</th>`,
  )
  const rows = table.rows.map((cells, row) => {
    const id = links.rowId(table, row)
    const shown = table.columns.map((column, at) => {
      const isName = ownNames.has(column)
      const classes = [isName ? 'name' : '', long.has(at) ? 'long' : ''].filter(Boolean).join(' ')
      const name = classes === '' ? '' : ` class="${classes}"`
      const label = column === '' ? name : `${name} data-label="${escapeHtml(column)}"`
      return `<td role="cell"${label}>${inlineHtml(cells[at] ?? '', isName ? withoutNames(links) : links)}</td>`
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
    [column, ...rows.map((cells) => cells[at])]
      .map(longestPart)
      .reduce((most, length) => Math.max(most, length), 0),
  )
  const wanted = (at: number) => (ownNames.has(columns[at] ?? '') ? 0 : (widths[at] ?? 0))
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

/** The length of the longest text that is not broken; where a link leads is not shown. */
function longestPart(markdown = ''): number {
  return markdown
    .split(/\s+|\]\(#[^)]*\)/)
    .flatMap(nameParts)
    .reduce((most, { length }) => Math.max(most, length), 0)
}
