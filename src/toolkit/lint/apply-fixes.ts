import { findNodeAtOffset } from 'jsonc-parser'
import { parseDocument } from 'yaml'
import {
  innerNode,
  type JsonNode,
  type JsonValue,
  pointerOf,
  pointerTokens,
  readJsonSource,
} from '../contract/index.js'

/** A change of one value. Pointers have the file name in front unless it is the main document. */
export type Edit =
  | { readonly remove: string }
  | { readonly set: string; readonly value: JsonValue }
  /** Removes the member of a JSON text that begins at an offset, for names that occur twice. */
  | { readonly removeAt: number; readonly file: string }

/** A range of a text, without its end. */
interface Span {
  readonly start: number
  readonly end: number
}

/** The edits that correct one problem. */
export type Fix = readonly Edit[]

/**
 * Applies edits to the text of one file. All text around the edits of a JSON file is kept. YAML files keep comments,
 * order and quotes, but their indentation may change.
 * @param text the text of the file
 * @param edits edits of this file, each place at most once
 */
export function applyFixes(text: string, edits: readonly Edit[]): string {
  const mark = text.startsWith('\uFEFF') ? '\uFEFF' : ''
  const content = text.slice(mark.length)
  const { root } = readJsonSource(content)
  if (!root) return mark + appliedToYaml(content, edits)
  const placed = edits.flatMap((edit) => {
    const span = spanOf(root, edit)
    return span ? [{ edit, start: span.start }] : []
  })
  // From the end: the places of earlier edits stay valid.
  placed.sort((a, b) => b.start - a.start)
  return mark + placed.reduce((edited, { edit }) => appliedToJson(edited, edit), content)
}

function appliedToJson(text: string, edit: Edit): string {
  const { root } = readJsonSource(text)
  const span = root && spanOf(root, edit)
  if (!span) return text
  const by = 'value' in edit ? JSON.stringify(edit.value) : ''
  return text.slice(0, span.start) + by + text.slice(span.end)
}

/** Returns the range that an edit replaces; for a removal with the comma before or after it. */
function spanOf(root: JsonNode, edit: Edit): Span | undefined {
  if ('removeAt' in edit) return removalOf(findNodeAtOffset(root, edit.removeAt)?.parent)
  const tokens = pointerTokens(pointerOf('set' in edit ? edit.set : edit.remove)) ?? []
  let node: JsonNode | undefined = root
  for (const token of tokens) node = node && innerNode(node, token)
  if ('set' in edit) return node && rangeOf(node)
  return removalOf(node?.parent?.type === 'property' ? node.parent : node)
}

const rangeOf = ({ offset, length }: JsonNode): Span => ({ start: offset, end: offset + length })

function removalOf(entry: JsonNode | undefined): Span | undefined {
  if (entry === undefined) return undefined
  const entries = entry.parent?.children ?? [entry]
  const at = entries.indexOf(entry)
  const [before, after] = [entries[at - 1], entries[at + 1]]
  const { start, end } = rangeOf(entry)
  if (after) return { start, end: after.offset }
  return { start: before ? rangeOf(before).end : start, end }
}

function appliedToYaml(text: string, edits: readonly Edit[]): string {
  const document = parseDocument(text)
  const paths = edits.map((edit) => {
    const pointer = 'set' in edit ? edit.set : 'remove' in edit ? edit.remove : ''
    return { edit, path: (pointerTokens(pointerOf(pointer)) ?? []).map(keyOf) }
  })
  // Items with a higher index first: the indexes of the others stay valid.
  paths.sort((a, b) => comparePaths(b.path, a.path))
  for (const { edit, path } of paths) {
    if ('set' in edit) document.setIn(path, edit.value)
    else if ('remove' in edit) document.deleteIn(path)
  }
  return document.toString({ lineWidth: 0 })
}

function keyOf(token: string): string | number {
  return /^\d+$/.test(token) ? Number(token) : token
}

function comparePaths(a: readonly (string | number)[], b: readonly (string | number)[]): number {
  for (const [at, key] of a.entries()) {
    const other = b[at]
    if (other === undefined) return 1
    if (key === other) continue
    if (typeof key === 'number' && typeof other === 'number') return key - other
    return String(key) < String(other) ? -1 : 1
  }
  return a.length - b.length
}
