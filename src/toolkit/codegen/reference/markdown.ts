import MarkdownIt from 'markdown-it'
import { isArray, isObject, type JsonObject, type JsonValue } from '../../contract/index.js'
import { oneLine, plainText } from '../../text/index.js'
import { code } from '../types/note-text.js'
import { type Quantity, quantityText } from './quantity-text.js'

/**
 * Returns Markdown from the contract without HTML: `&` and `<` are escaped, except in code, where they are text. Headings
 * become bold text, because the page has its own outline.
 */
export function prose(text: string): string {
  const plain = plainText(text)
  const escaped = outsideCode(plain, escapedProse)
  // Readers of Markdown may see less code, such as a code span that a list item ends.
  return escaped.includes('<') && hasHtml(escaped) ? escapedProse(plain) : escaped
}

function escapedProse(text: string): string {
  return (
    text
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      // A fence without an end would hide the rest of the page.
      .replaceAll(/~(?=~~)/g, '\\~')
      .replaceAll(/(\\*)`/g, (mark, before: string) => (before.length % 2 === 0 ? `${before}\\\`` : mark))
      .replaceAll(/^ {0,3}#{1,6}(?:[ \t]+(.*?))??[ \t]*#*$/gm, (_, heading?: string) =>
        heading ? `**${heading}**` : '',
      )
  )
}

const parser = new MarkdownIt({ html: true })

function hasHtml(markdown: string): boolean {
  return parser
    .parse(markdown, {})
    .some(
      ({ type, children }) =>
        type === 'html_block' || children?.some((inner) => inner.type === 'html_inline'),
    )
}

/** Returns prose as one line, for a heading or a list. */
export function proseLine(text: string): string {
  return prose(oneLine(text))
}

/** Returns a Markdown table without empty columns, or an empty string if there are no rows. */
export function table(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  const shown = columns.map((_, at) => rows.some((row) => (row[at] ?? '') !== ''))
  const line = (cells: readonly string[]) =>
    `| ${cells
      .filter((_, at) => shown[at])
      .map((cell) => oneLine(cell).replaceAll('|', '\\|'))
      .join(' | ')} |\n`
  if (rows.length === 0 || !shown.includes(true)) return ''
  return `${line(columns)}${line(columns.map(() => '---'))}${rows.map((row) => line(columns.map((_, at) => row[at] ?? ''))).join('')}`
}

/** Returns a fenced code block. The fence is longer than any fence inside. */
export function codeBlock(language: string, text: string): string {
  const runs = text.match(/`{3,}/g) ?? []
  const fence = '`'.repeat(Math.max(2, ...runs.map((run) => run.length)) + 1)
  return `${fence}${language}\n${text}\n${fence}\n`
}

/** Formats JSON, on one line if it is short. */
export function jsonText(value: JsonValue): string {
  const line = JSON.stringify(value)
  return line.length <= 100 ? line : JSON.stringify(value, null, 2)
}

/** Returns the anchor that Markdown renderers generate for a heading. */
export function anchor(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-')
}

/**
 * Formats data of the contract as a table if it is a list or map of objects, otherwise as JSON. Numbers with units are
 * one column.
 */
export function dataText(value: JsonValue): string {
  const rows = namedRows(value)
  if (!rows) return codeBlock('json', JSON.stringify(value, null, 2))
  const named = rows.some(({ name }) => name !== '')
  const hasQuantities = rows.every(({ row }) => isQuantity(row))
  const members = [...new Set(rows.flatMap(({ row }) => Object.keys(row)))].filter(
    (key) => !(hasQuantities && key === 'unit'),
  )
  const columns = [...(named ? ['Name'] : []), ...members.map(heading)]
  return table(
    columns,
    rows.map(({ name, row }) => [
      ...(named ? [code(name)] : []),
      ...members.map((key) =>
        key === 'value' && hasQuantities && isQuantity(row) ? prose(quantityText(row)) : cell(key, row[key]),
      ),
    ]),
  )
}

function isQuantity(row: JsonObject): row is JsonObject & Quantity {
  return typeof row['value'] === 'number' && typeof row['unit'] === 'string'
}

function namedRows(
  value: JsonValue,
): readonly { readonly name: string; readonly row: JsonObject }[] | undefined {
  if (isArray(value)) {
    const rows = value.flatMap((row) => (isObject(row) ? [{ name: '', row }] : []))
    return rows.length === value.length && rows.length > 0 ? rows : undefined
  }
  if (!isObject(value)) return undefined
  const rows = Object.entries(value).flatMap(([name, row]) => (isObject(row) ? [{ name, row }] : []))
  const flat = rows.every(({ row }) => Object.values(row).every((item) => !isObject(item)))
  return flat && rows.length === Object.keys(value).length && rows.length > 0 ? rows : undefined
}

/** Converts a key to a heading: `httpStatus` to "Http status". */
function heading(key: string): string {
  const words = key.replaceAll(
    /([a-z])([A-Z])/g,
    (_, before: string, after: string) => `${before} ${after.toLowerCase()}`,
  )
  return prose(words.charAt(0).toUpperCase() + words.slice(1))
}

function cell(key: string, value: JsonValue | undefined): string {
  if (value === undefined) return ''
  if (key === 'id' || key === 'error' || (key === 'value' && typeof value === 'string'))
    return code(String(value))
  if (typeof value === 'string') return prose(value)
  if (isArray(value) && value.every((item) => typeof item === 'string')) {
    return value.map((item) => code(String(item))).join(', ')
  }
  return typeof value === 'object' ? code(JSON.stringify(value)) : String(value)
}

/**
 * Applies a change to text outside of fenced code and code spans, which are delimited by equal runs of backticks
 * (CommonMark, 4.5 and 6.1).
 */
function outsideCode(text: string, change: (part: string) => string): string {
  let end = 0
  const parts: string[] = []
  for (const code of text.matchAll(
    /^(~{3,})[^\n]*\n(?:.*?\n)??\1~*[ \t]*$|(?<![`\\])(`+)(?!`).+?(?<!`)\2(?!`)/gms,
  )) {
    parts.push(change(text.slice(end, code.index)), code[0])
    end = code.index + code[0].length
  }
  return [...parts, change(text.slice(end))].join('')
}
