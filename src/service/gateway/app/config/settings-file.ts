import { isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parseDocument, type Scalar } from 'yaml'

/** The content of a configuration file. */
export interface SettingsText {
  /** The name of the file in problems. */
  readonly name: string
  /** YAML, or JSON as a subset of it. */
  readonly text: string
}

/** Where a setting comes from. */
export interface Origin {
  /** File, line and column. */
  readonly place?: string
  /** The variable or option that overrides the file. */
  readonly variable?: string
  /** True if it contains text from the environment. Problems do not show it. */
  readonly isFromEnvironment?: boolean
  /** True if a variable in it is missing, which is reported on its own. */
  readonly isIncomplete?: boolean
}

/** The settings of a file, and the problems of its form. */
export interface FileSettings {
  /** Mappings, lists and texts. Scalars are texts as written; null counts as unset. */
  readonly value: unknown
  /** By JSON pointer. */
  readonly origins: ReadonlyMap<string, Origin>
  /** Names of the environment variables that it uses. */
  readonly variables: ReadonlySet<string>
  readonly problems: readonly string[]
  /** Settings that refer to variables which are not set. */
  readonly incomplete: readonly { readonly pointer: string; readonly problem: string }[]
}

/** `${NAME}`: the value of an environment variable. */
const variable = /\$\{(\w+)\}/g

/** No setting is deeper than `nodes.test[0].headers.name`. The limit also ends circular aliases. */
const deepest = 5

/** Reads a configuration file and replaces `${NAME}` by environment variables. */
export function readSettingsFile(
  { name, text }: SettingsText,
  env: Readonly<Record<string, string | undefined>>,
): FileSettings {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false })
  const origins = new Map<string, Origin>()
  const variables = new Set<string>()
  const problems: string[] = []
  const incomplete: { pointer: string; problem: string }[] = []
  let isTooDeep = false
  const placeAt = (offset: number) => {
    const { line, col } = lines.linePos(offset)
    return `${name}:${line}:${col}`
  }

  function readScalar(node: Scalar, pointer: string): string | undefined {
    if (node.value === null) return undefined
    const written = typeof node.value === 'string' ? node.value : (node.source ?? String(node.value))
    const { place } = origins.get(pointer) ?? {}
    let isIncomplete = false
    const filled = written.replace(variable, (_, taken: string) => {
      variables.add(taken)
      if (env[taken]) return env[taken]
      isIncomplete = true
      const problem = `${place} ${shownPointer(pointer)} refers to ${taken}, which is not set in the environment`
      incomplete.push({ pointer, problem })
      return ''
    })
    origins.set(pointer, { ...origins.get(pointer), isFromEnvironment: filled !== written, isIncomplete })
    return filled
  }

  function read(node: unknown, path: readonly (string | number)[]): unknown {
    const pointer = path.map((part) => `/${pointerPart(part)}`).join('')
    if (path.length > deepest) {
      isTooDeep = true
      problems.push(`${name}: ${shownPointer(pointer)} is nested too deeply`)
      return undefined
    }
    if (isAlias(node)) return read(node.resolve(document), path)
    origins.set(pointer, { place: placeAt((node as Node | null)?.range?.[0] ?? 0) })
    if (isMap(node)) {
      const members = node.items.map(({ key, value }) => {
        const member = String(isScalar(key) ? key.value : key)
        return [member, read(value, [...path, member])] as const
      })
      return Object.fromEntries(members.filter(([, value]) => value !== undefined))
    }
    if (isSeq(node)) return node.items.map((item, at) => read(item, [...path, at]) ?? '')
    return isScalar(node) ? readScalar(node, pointer) : undefined
  }

  for (const { message, pos } of document.errors) problems.push(`${placeAt(pos[0])} ${message}`)
  const value = problems.length > 0 ? undefined : read(document.contents, [])
  return { value: isTooDeep ? undefined : value, origins, variables, problems, incomplete }
}

/** A name or a position as a part of a JSON pointer (RFC 6901). */
export const pointerPart = (part: string | number) => String(part).replaceAll('~', '~0').replaceAll('/', '~1')

/** Formats `/nodes/test/0/url` as `nodes.test[0].url`. */
export function shownPointer(pointer: string): string {
  const parts = pointer.split('/').slice(1)
  return parts
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((part, at) => (at > 0 && /^\d+$/.test(part) ? `[${part}]` : at === 0 ? part : `.${part}`))
    .join('')
}
