import { isNode, parseDocument } from 'yaml'
import type { ContractProblem } from '../contract-error.js'
import { pointerTokens } from '../json-pointer.js'
import { documentOf, pointerOf, type SourceDocument } from './documents.js'
import { type JsonNode, readJsonSource } from './json-source.js'
import { lineFinder, type SourcePosition } from './source-position.js'

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
      const inner = here.members?.get(token) ?? here.items?.[Number(token)]
      if (!inner) break
      here = inner
    }
    return here.start
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
