import { documentOf, pointerOf, pointerTokens } from '../contract/index.js'

/** Returns the reference tokens of a place. */
export function tokensOf(place: string): readonly string[] {
  return pointerTokens(pointerOf(place)) ?? []
}

/** Returns true for a place that several methods can use: a component, or any place in another file. */
export function isShared(place: string): boolean {
  if (documentOf(place) !== '') return true
  return !['methods', 'info'].includes(tokensOf(place)[0] ?? '')
}
