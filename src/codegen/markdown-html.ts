import { escapeHtml } from './html-text.js'
import type { Block } from './markdown-blocks.js'

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
  const html = `<code>${escapeHtml(codeText(code))}</code>`
  return id === undefined ? html : `<a href="#${escapeHtml(id)}">${html}</a>`
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
function tableHtml(table: Extract<Block, { kind: 'table' }>, links: Links): string {
  const head = table.columns.map(
    (column) => `<th role="columnheader" scope="col">${inlineHtml(column, links)}</th>`,
  )
  const rows = table.rows.map((cells, row) => {
    const id = links.rowId(table, row)
    const shown = table.columns.map((column, at) => {
      const classes = [ownNames.has(column) ? 'name' : '', isLong(column, cells[at]) ? 'long' : ''].filter(
        Boolean,
      )
      const name = classes.length === 0 ? '' : ` class="${classes.join(' ')}"`
      const label = column === '' ? name : `${name} data-label="${escapeHtml(column)}"`
      return `<td role="cell"${label}>${inlineHtml(cells[at] ?? '', ownNames.has(column) ? withoutNames(links) : links)}</td>`
    })
    const item = id === undefined ? '' : ` id="${escapeHtml(id)}" data-item`
    return `<tr role="row"${item}>${shown.join('')}</tr>\n`
  })
  return `<table role="table"${isWide(table) ? ' class="long"' : ''}>\n<thead role="rowgroup"><tr role="row">${head.join('')}</tr></thead>\n<tbody role="rowgroup">\n${rows.join('')}</tbody>\n</table>\n`
}

/** How many characters stand side by side where the page is narrowest for a table. */
const tableCharacters = 85
/** Longer words are broken, so that they leave room for the other columns; what is to be copied stays whole longer. */
const wordCharacters = { name: 44, text: 24 }

/** True where the longest words of all columns do not fit side by side, so that every word may be broken. */
function isWide({ columns, rows }: Extract<Block, { kind: 'table' }>): boolean {
  const longest = columns.map((column, at) =>
    [column, ...rows.map((cells) => (isLong(column, cells[at]) ? '' : cells[at]))]
      .map(longestWord)
      .reduce((most, length) => Math.max(most, length), 0),
  )
  return longest.reduce((sum, length) => sum + length, 0) > tableCharacters
}

function isLong(column: string, cell: string | undefined): boolean {
  return (
    longestWord(cell) > (ownNames.has(column) || column === 'URL' ? wordCharacters.name : wordCharacters.text)
  )
}

/** The length of the longest word that is shown; where a link leads is not. */
function longestWord(markdown = ''): number {
  return markdown.split(/\s+|\]\(#[^)]*\)/).reduce((most, { length }) => Math.max(most, length), 0)
}
