/**
 * Makes what reads the key in a path as the contract writes them, without a router; undefined for every path that may be
 * another's, such as one with a query, or with what is no key.
 * @param paths that end with `{key}` (the contract's `x-http`)
 * @param apiKeyPattern of a whole key
 */
export function createKeyPath(
  paths: readonly string[],
  apiKeyPattern: string,
): (path: string) => { readonly key: string } | undefined {
  const prefixes = paths
    .filter((path) => path.endsWith('{key}'))
    .map((path) => path.slice(0, -'{key}'.length))
  const pattern = new RegExp(apiKeyPattern)
  return (path) => {
    const end = path.lastIndexOf('/') + 1
    const key = path.slice(end)
    if (!pattern.test(key)) return undefined
    for (const prefix of prefixes) if (prefix.length === end && path.startsWith(prefix)) return { key }
    return undefined
  }
}
