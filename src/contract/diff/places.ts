import { pointerTokens } from '../json-pointer.js'
import { documentOf, pointerOf } from '../load/documents.js'

/** The reference tokens of a place. */
export function tokensOf(place: string): readonly string[] {
  return pointerTokens(pointerOf(place)) ?? []
}

/** True for a place that several methods can use: a component, or anything in another file. */
export function isShared(place: string): boolean {
  if (documentOf(place) !== '') return true
  return !['methods', 'info'].includes(tokensOf(place)[0] ?? '')
}
