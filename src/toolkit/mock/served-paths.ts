import { arrayMember, type Contract, objectMember } from '../contract/index.js'

/** Matches a literal path segment. */
const plainPart = /^[\w.~-]+$/
/** Matches a variable segment: `{key}` in `x-http`, `${key}` in server URLs. */
const variablePart = /^\$?\{[^{}]+\}$/

/**
 * Routes of a contract: `/`, and the paths of `servers` and `x-http`. Clients therefore only change the host.
 * Paths that a route cannot express are left out.
 */
export function servedPaths({ servers, info }: Contract): readonly string[] {
  const stated = arrayMember(objectMember(info, 'x-http'), 'paths')
  const texts = [...servers.map(({ url }) => pathOf(url)), ...stated.map(String)]
  return [...new Set(['/', ...texts.flatMap((text) => route(text) ?? [])])]
}

/** Path of a server URL, which may be relative and contain variables anywhere. */
function pathOf(url: string): string {
  const path = /^(?:(?:[^/?#]*:)?\/\/[^/?#]*)?(\/[^?#]*)/.exec(url)?.[1]
  return path ?? '/'
}

function route(path: string): string | undefined {
  if (!path.startsWith('/')) return undefined
  const parts = path.slice(1).split('/')
  const routed = parts.map((part, at) => {
    if (variablePart.test(part)) return `:part${at}`
    return plainPart.test(part) || (part === '' && at === parts.length - 1) ? part : undefined
  })
  return routed.includes(undefined) ? undefined : `/${routed.join('/')}`
}
