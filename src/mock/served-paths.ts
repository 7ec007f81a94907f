import { arrayMember, type Contract, objectMember } from '../contract/index.js'

/** A part of a path that stands for itself. */
const plainPart = /^[\w.~-]+$/
/** A part that stands for anything: `{key}` as `x-http` has it, `${key}` as the URL of a server has it. */
const variablePart = /^\$?\{[^{}]+\}$/

/**
 * The paths that a contract is served at, as routes: `/`, and those of its servers (`servers`, `x-http`), so that a
 * client needs another host and nothing else. A path that cannot be told from others is left out.
 */
export function servedPaths({ servers, info }: Contract): readonly string[] {
  const stated = arrayMember(objectMember(info, 'x-http'), 'paths')
  const texts = [...servers.map(({ url }) => pathOf(url)), ...stated.map(String)]
  return [...new Set(['/', ...texts.flatMap((text) => route(text) ?? [])])]
}

/** The path of a server's URL; variables may stand anywhere in it. */
function pathOf(url: string): string {
  const path = /^(?:[^/?#]*:)?\/\/[^/?#]*([^?#]*)/.exec(url)?.[1] ?? ''
  return path === '' ? '/' : path
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
