import { isNode, parseDocument } from 'yaml'
import type { ContractProblem } from '../contract-error.js'
import { pointerTokens } from '../json-pointer.js'
import { documentOf, pointerOf, type SourceDocument } from './documents.js'
import { type JsonNode, readJsonSource } from './json-source.js'
import { lineFinder, type SourcePosition } from './source-position.js'

/** Finds where a place of the contract stands in its file; the nearest thing around it where it is not there. */
export type FindPosition = (place: string) => SourcePosition

/** A finder for the files of a contract; each is read for its positions once, and only when it is asked for. */
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

/** Problems with their lines and columns, as far as their files were read from a text. */
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

/** A finder for one text, JSON or YAML. */
export function positionsIn(text: string): FindPosition {
  const content = text.replace(/^\uFEFF/, '')
  const startOf = jsonStarts(content) ?? yamlStarts(content)
  const position = lineFinder(content)
  return (pointer) => position(startOf(pointerTokens(pointer) ?? []))
}

/** Finds the offset of the value that tokens lead to, or of the nearest one around it. */
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
