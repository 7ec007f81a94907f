/** Reference tokens as the fragment of a URI: a name may hold what means something there. */
export function fragmentOf(tokens: readonly string[]): string {
  return `#${tokens.map((token) => `/${escaped(token)}`).join('')}`
}

function escaped(token: string): string {
  return encodeURIComponent(token.replaceAll('~', '~0').replaceAll('/', '~1'))
}
