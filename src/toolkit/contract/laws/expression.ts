import type { JsonValue } from '../json.js'

/** A runtime expression of a law: a parameter of the call, or a part of its result. */
export interface Expression {
  readonly source: 'params' | 'result'
  readonly path: readonly string[]
}

/** Reads `${params.NAME}` or `${result.PATH}`. Returns undefined for any other value, which is a literal. */
export function expressionIn(value: JsonValue): Expression | undefined {
  const found = typeof value === 'string' ? /^\$\{(params|result)((?:\.[^.{}]+)*)\}$/.exec(value) : null
  if (!found) return undefined
  return { source: found[1] as Expression['source'], path: (found[2] ?? '').split('.').slice(1) }
}
