/** A part of a Markdown text; the texts inside are Markdown of one line. */
export type Block =
  | { readonly kind: 'paragraph'; readonly text: string }
  | { readonly kind: 'list'; readonly ordered: boolean; readonly items: readonly string[] }
  | { readonly kind: 'code'; readonly text: string }
  | {
      readonly kind: 'table'
      readonly columns: readonly string[]
      readonly rows: readonly (readonly string[])[]
    }

const listItem = /^\s{0,3}(?:[-*+]|\d{1,9}[.)])\s+/
const tableRule = /^\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$/
const fence = /^\s{0,3}(`{3,}|~{3,})[^`]*$/

/**
 * Reads the Markdown that the reference and authors of contracts write: paragraphs, lists of one level, fenced code
 * and tables. Anything else is a paragraph; a heading is a paragraph in bold, because a page has an outline of its own.
 */
export function markdownBlocks(markdown: string): readonly Block[] {
  const lines = markdown.split('\n')
  const blocks: Block[] = []
  let at = 0
  while (at < lines.length) {
    if (lines[at]?.trim() === '') {
      at += 1
      continue
    }
    const { block, next } =
      codeAt(lines, at) ?? tableAt(lines, at) ?? listAt(lines, at) ?? paragraphAt(lines, at)
    blocks.push(block)
    at = next
  }
  return blocks
}

interface Read {
  readonly block: Block
  /** The line behind it. */
  readonly next: number
}

function codeAt(lines: readonly string[], at: number): Read | undefined {
  const mark = fence.exec(lines[at] ?? '')?.[1]
  if (mark === undefined) return undefined
  const isEnd = (line: string) => line.trim().startsWith(mark) && /^(?:`+|~+)$/.test(line.trim())
  const found = lines.findIndex((line, place) => place > at && isEnd(line))
  const end = found === -1 ? lines.length : found
  return { block: { kind: 'code', text: lines.slice(at + 1, end).join('\n') }, next: end + 1 }
}

function tableAt(lines: readonly string[], at: number): Read | undefined {
  const rule = lines[at + 1] ?? ''
  if (!lines[at]?.includes('|') || !rule.includes('|') || !tableRule.test(rule)) return undefined
  const rest = lines.slice(at + 2)
  const length = rest.findIndex((line) => !line.includes('|'))
  const rows = length === -1 ? rest : rest.slice(0, length)
  const block = { kind: 'table', columns: cellsOf(lines[at] ?? ''), rows: rows.map(cellsOf) } as const
  return { block, next: at + 2 + rows.length }
}

/** The cells of a row; a pipe behind a backslash belongs to its cell, also in code (GFM, 4.10). */
function cellsOf(line: string): readonly string[] {
  return line
    .trim()
    .replace(/^\|/, '')
    .replace(/(?<!\\)\|$/, '')
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll('\\|', '|'))
}

function listAt(lines: readonly string[], at: number): Read | undefined {
  if (!listItem.test(lines[at] ?? '')) return undefined
  const items: string[] = []
  let next = at
  for (; next < lines.length && lines[next]?.trim() !== ''; next += 1) {
    const line = lines[next] ?? ''
    if (listItem.test(line)) items.push(line.replace(listItem, ''))
    else items.push(`${items.pop() ?? ''} ${line.trim()}`)
  }
  return { block: { kind: 'list', ordered: /^\s*\d/.test(lines[at] ?? ''), items }, next }
}

function paragraphAt(lines: readonly string[], at: number): Read {
  const heading = /^\s{0,3}#{1,6}\s+(.*?)#*\s*$/.exec(lines[at] ?? '')?.[1]
  if (heading !== undefined)
    return { block: { kind: 'paragraph', text: `**${heading.trim()}**` }, next: at + 1 }
  let next = at + 1
  while (next < lines.length && !startsBlock(lines, next)) next += 1
  const text = lines
    .slice(at, next)
    .map((line) => line.trim())
    .join(' ')
  return { block: { kind: 'paragraph', text }, next }
}

function startsBlock(lines: readonly string[], at: number): boolean {
  const line = lines[at] ?? ''
  const isOther = line.trim() === '' || fence.test(line) || /^\s{0,3}(?:[-*+]\s|#{1,6}\s)/.test(line)
  return isOther || tableAt(lines, at) !== undefined
}
