import type { ServerRequest } from './send-answer.js'

/** Returns the path parameters of a URL; undefined if no path matches. */
export type MatchPath = (url: string) => ServerRequest['params'] | undefined

/** A URL with the origin of a proxy request (RFC 9112, section 3.2.2). */
const ORIGIN = /^https?:\/\/[^/]*/i

/**
 * Creates the matcher of an endpoint's paths. Query strings are ignored, and so is a slash after a parameter at the end.
 * Parameters are decoded, and never empty.
 * @param paths a segment that begins with `:` is a parameter, such as the key in `/:key`
 */
export function createPathMatcher(paths: readonly string[]): MatchPath {
  const patterns = paths.map((path) => path.split('/'))
  // A path without its last parameter is a request without a key.
  const incomplete = new Set(folders(paths))
  return (url) => {
    const sent = url.startsWith('/') ? url : url.replace(ORIGIN, '')
    const queryAt = sent.indexOf('?')
    const path = queryAt < 0 ? sent : sent.slice(0, queryAt)
    if (incomplete.has(path.endsWith('/') ? path.slice(0, -1) : path)) return undefined
    const parts = path.split('/')
    for (const pattern of patterns) {
      const params = matched(pattern, parts)
      if (params !== undefined) return params
    }
    return undefined
  }
}

const noParams: ServerRequest['params'] = {}

function matched(pattern: readonly string[], parts: readonly string[]): ServerRequest['params'] | undefined {
  const { length } = pattern
  const endsWithSlash =
    parts.length === length + 1 && parts[length] === '' && pattern[length - 1]?.[0] === ':'
  if (parts.length !== length && !endsWithSlash) return undefined
  let params: Record<string, string> | undefined
  for (let at = 0; at < length; at++) {
    const expected = pattern[at] ?? ''
    const part = parts[at] ?? ''
    if (expected[0] !== ':') {
      if (expected !== part && expected !== decoded(part)) return undefined
      continue
    }
    const value = decoded(part)
    if (value === undefined || value === '') return undefined
    params ??= {}
    params[expected.slice(1)] = value
  }
  return params ?? noParams
}

/** Decodes a segment of a path; undefined if its percent-encoding is invalid. */
function decoded(part: string): string | undefined {
  if (!part.includes('%')) return part
  try {
    return decodeURIComponent(part)
  } catch {
    return undefined
  }
}

/**
 * Returns the paths without their last parameter, such as `/v2` for `/v2/:key`. The root, served paths, and
 * paths with further parameters are omitted.
 */
export function folders(paths: readonly string[]): readonly string[] {
  const all = paths.map((path) => path.replace(/\/:\w+$/, ''))
  return [...new Set(all)].filter((path) => path !== '' && !path.includes(':') && !paths.includes(path))
}
