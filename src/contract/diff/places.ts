import { documentOf, pointerOf } from '../documents.js'

/** The reference tokens of a place that the model made: unlike one that is written in a document it is not encoded. */
export function tokensOf(place: string): readonly string[] {
  const tokens = pointerOf(place).split('/').slice(1)
  return tokens.map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'))
}

/** True for a place that several methods can use: a component, or anything in another file. */
export function isShared(place: string): boolean {
  if (documentOf(place) !== '') return true
  return !['methods', 'info'].includes(tokensOf(place)[0] ?? '')
}
