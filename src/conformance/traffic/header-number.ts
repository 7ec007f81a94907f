import type { HeaderNumber } from '../scenario/invariant.js'
import type { Seen } from './seen.js'

/** A value that a header states, and what the header is about. */
export interface HeaderValue {
  readonly value: string
  /** Key and scope. Values are compared within one. */
  readonly group: string
  /** The whole header. */
  readonly text: string
}

/** Creates a function that reads the value of an invariant from an answer. */
export function headerReader({ header, pattern, by }: HeaderNumber): (seen: Seen) => HeaderValue | undefined {
  const valueIn = new RegExp(pattern, 'u')
  const scopeIn = by === undefined ? undefined : new RegExp(by, 'u')
  return ({ exchange: { reply }, key }) => {
    const text = reply?.headers[header]
    const value = text === undefined ? undefined : valueIn.exec(text)?.[1]
    if (text === undefined || value === undefined) return undefined
    const scope = scopeIn === undefined ? '' : scopeIn.exec(text)?.[1]
    return scope === undefined ? undefined : { value, group: `${key} ${scope}`, text }
  }
}
