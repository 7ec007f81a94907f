import { isKeyText } from './key-text.js'
import type { KeyParams, KnownTexts } from './known-texts.js'

/**
 * Makes what reads the key in a path as the contract writes them, without a router; undefined for every path that may be
 * another's, such as one with a query, or with what is no key.
 * @param paths that end with `{key}` (the contract's `x-http`)
 * @param paramsAt finds the parameters of a key that is known, without making a text of it
 */
export function createKeyPath(
  paths: readonly string[],
  paramsAt: KnownTexts['paramsAt'],
): (path: string, bytes?: Uint8Array, pathAt?: number) => KeyParams | undefined {
  const prefixes = paths
    .filter((path) => path.endsWith('{key}'))
    .map((path) => path.slice(0, -'{key}'.length))
  return (path, bytes, pathAt = 0) => {
    for (const prefix of prefixes) {
      if (!path.startsWith(prefix)) continue
      const { length } = prefix
      const known = bytes && paramsAt(bytes, pathAt + length, path.length - length)
      if (known !== undefined) return known
      const key = path.slice(length)
      if (isKeyText(key)) return { key }
    }
    return undefined
  }
}
