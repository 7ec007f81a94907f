import { isKeyText } from '../key-text.js'
import type { KeyIndex, KeyParams } from './key-index.js'

/**
 * Creates a reader of the key in a request path, which is faster than a router. It returns undefined for any other
 * path, such as one with a query or without a well-formed key.
 * @param paths paths of the contract's `x-http`; those that end with `{key}` are read
 * @param paramsAt finds the parameters of an indexed key without creating a string
 */
export function createKeyPath(
  paths: readonly string[],
  paramsAt: KeyIndex['paramsAt'],
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
