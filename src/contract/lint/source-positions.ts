import { isNode, LineCounter, parseDocument } from 'yaml'
import { type Documents, documentOf, pointerOf } from '../documents.js'
import { pointerTokens } from '../json-pointer.js'

/** A place in a file, counted from 1. */
export interface SourcePosition {
  readonly line: number
  readonly column: number
}

/** Finds where a place of the contract stands in its file; the nearest thing around it where it is not there. */
export type FindPosition = (place: string) => SourcePosition

/** A finder for the files of a contract; each is read for its positions once, and only when it is asked for. */
export function sourcePositions(documents: Documents): FindPosition {
  const texts = new Map(documents.all().map(({ name, text }) => [name, text ?? '']))
  const finders = new Map<string, FindPosition>()
  return (place) => {
    const file = documentOf(place)
    const known = finders.get(file) ?? positionsIn(texts.get(file) ?? '')
    finders.set(file, known)
    return known(pointerOf(place))
  }
}

/** A finder for one text, JSON or YAML. */
export function positionsIn(text: string): FindPosition {
  const lineCounter = new LineCounter()
  const document = parseDocument(text.replace(/^\uFEFF/, ''), {
    lineCounter,
    merge: true,
    logLevel: 'silent',
    uniqueKeys: false,
  })
  return (pointer) => {
    const tokens = [...(pointerTokens(pointer) ?? [])]
    for (;;) {
      const node = tokens.length === 0 ? document.contents : document.getIn(tokens, true)
      const start = isNode(node) ? node.range?.[0] : undefined
      if (start !== undefined) {
        const { line, col } = lineCounter.linePos(start)
        return { line, column: col }
      }
      if (tokens.length === 0) return { line: 1, column: 1 }
      tokens.pop()
    }
  }
}
