import { isUtf8 } from 'node:buffer'
import { isNode, parseDocument } from 'yaml'
import { ContractError, type ContractProblem, contractError, type SourcePosition } from '../contract-error.js'
import { pointerTokens } from '../json-pointer.js'
import { documentOf, pointerOf, type SourceDocument } from './documents.js'
import { innerNode, type JsonNode, readJsonSource } from './json-source.js'

/** Returns the position of a place in its file, or of the nearest enclosing value. */
export type FindPosition = (place: string) => SourcePosition

/** Creates a position finder for the files of a contract. Files are scanned once, on first use. */
export function sourcePositions(documents: readonly SourceDocument[]): FindPosition {
  const texts = new Map(documents.map(({ name, text }) => [name, text ?? '']))
  const finders = new Map<string, FindPosition>()
  return (place) => {
    const file = documentOf(place)
    const known = finders.get(file) ?? positionsIn(texts.get(file) ?? '')
    finders.set(file, known)
    return known(pointerOf(place))
  }
}

/** Adds lines and columns to problems whose files were read from text. */
export function withPositions(
  problems: readonly ContractProblem[],
  documents: readonly SourceDocument[],
): readonly ContractProblem[] {
  const find = sourcePositions(documents)
  const texts = new Set(documents.flatMap(({ name, text }) => (text === undefined ? [] : [name])))
  return problems.map((problem) =>
    problem.pointer === '' || problem.position || !texts.has(documentOf(problem.pointer))
      ? problem
      : { ...problem, position: find(problem.pointer) },
  )
}

/** Creates a position finder for one text in JSON or YAML. */
export function positionsIn(text: string): FindPosition {
  const content = text.replace(/^\uFEFF/, '')
  const startOf = jsonStarts(content) ?? yamlStarts(content)
  const position = lineFinder(content)
  return (pointer) => position(startOf(pointerTokens(pointer) ?? []))
}

/** Returns the offset of the value at the given tokens, or of the nearest enclosing value. */
type FindStart = (tokens: readonly string[]) => number

function jsonStarts(content: string): FindStart | undefined {
  const { root } = readJsonSource(content)
  if (!root) return undefined
  return (tokens) => {
    let here: JsonNode = root
    for (const token of tokens) {
      const inner = innerNode(here, token)
      if (!inner) break
      here = inner
    }
    return here.offset
  }
}

function yamlStarts(content: string): FindStart {
  const document = parseDocument(content, { merge: true, logLevel: 'silent', uniqueKeys: false })
  return (all) => {
    for (const tokens = [...all]; ; tokens.pop()) {
      const node = tokens.length === 0 ? document.contents : document.getIn(tokens, true)
      const start = isNode(node) ? node.range?.[0] : undefined
      if (start !== undefined) return start
      if (tokens.length === 0) return 0
    }
  }
}

/** Creates a function that converts offsets of a text into lines and columns. */
export function lineFinder(text: string): (offset: number) => SourcePosition {
  const starts = [0]
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  return (offset) => {
    let [low, high] = [0, starts.length - 1]
    while (low < high) {
      const middle = Math.ceil((low + high) / 2)
      if ((starts[middle] ?? 0) <= offset) low = middle
      else high = middle - 1
    }
    return { line: low + 1, column: offset - (starts[low] ?? 0) + 1 }
  }
}

/**
 * Decodes a document from UTF-8.
 * @param bytes the content of the file
 * @throws ContractError when the bytes are not UTF-8; decoding them would silently change names and texts
 */
export function sourceText(bytes: Buffer): string {
  const [first, second] = bytes
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) {
    throw contractError('', 'is UTF-16: save it as UTF-8')
  }
  const text = bytes.toString('utf8')
  if (isUtf8(bytes)) return text
  const position = lineFinder(text)(Math.max(0, text.indexOf('\uFFFD')))
  throw new ContractError([{ pointer: '', message: 'is not UTF-8 text', position }])
}
