import type { Method } from '../../contract/index.js'
import { docComment, indent, memberName } from '../text.js'

/**
 * The property path of each method in clients and handlers, keyed by wire name: `wallet.listKeys` is
 * `listKeys` of `wallet`.
 *
 * A name is split at its dots. Parts that are not identifiers become quoted properties. Paths are unique,
 * because joining a path with dots gives the name:
 * - A name with a leading, trailing or double dot is not split.
 * - A name is not split after a prefix that is itself a method, because a function cannot be a namespace.
 *   Beside a method `wallet` there is a property `'wallet.listKeys'`.
 * - `then` gets a trailing `_` (and `then_` another one), because an object with a `then` function counts as
 *   a promise.
 */
export type MemberPaths = ReadonlyMap<string, readonly string[]>

/** Computes the property paths of all methods. */
export function memberPaths(methods: readonly Method[]): MemberPaths {
  const names = new Set(methods.map(({ name }) => name))
  return new Map([...names].map((name) => [name, divided(name, names).map(withoutPromise)]))
}

function divided(name: string, methods: ReadonlySet<string>): readonly string[] {
  const parts = name.split('.')
  if (parts.includes('')) return [name]
  const path: string[] = []
  let waiting: readonly string[] = []
  parts.forEach((part, at) => {
    waiting = [...waiting, part]
    const isLast = at === parts.length - 1
    if (!isLast && methods.has(parts.slice(0, at + 1).join('.'))) return
    path.push(waiting.join('.'))
    waiting = []
  })
  return path
}

function withoutPromise(part: string): string {
  return /^then_*$/.test(part) ? `${part}_` : part
}

/** Returns the property path of a method. */
export function pathOf(paths: MemberPaths, { name }: Method): readonly string[] {
  return paths.get(name) ?? [name]
}

/** Returns true if the property path of a method is its name. */
export function isPlain(paths: MemberPaths, method: Method): boolean {
  const path = pathOf(paths, method)
  return path.length === 1 && path[0] === method.name
}

/** Returns a note with the wire name if the property path differs from it. */
export function wireNote(paths: MemberPaths, method: Method): string | undefined {
  return isPlain(paths, method) ? undefined : `Wire name: \`${method.name}\`.`
}

/**
 * Returns the members of an interface with all methods, grouped in namespaces.
 * @param write returns the member of a method under the given property name
 */
export function memberTree(
  methods: readonly Method[],
  paths: MemberPaths,
  write: (method: Method, key: string) => string,
): readonly string[] {
  return branch(
    methods.map((method) => ({ method, path: pathOf(paths, method) })),
    '',
    write,
  )
}

interface Placed {
  readonly method: Method
  readonly path: readonly string[]
}

function branch(
  placed: readonly Placed[],
  before: string,
  write: (method: Method, key: string) => string,
): readonly string[] {
  const byKey = new Map<string, Placed[]>()
  for (const { method, path } of placed) {
    const [key = '', ...rest] = path
    byKey.set(key, [...(byKey.get(key) ?? []), { method, path: rest }])
  }
  return [...byKey].map(([key, inside]) => {
    const [first] = inside
    if (first?.path.length === 0) return write(first.method, key)
    const members = branch(inside, `${before}${key}.`, write)
    const doc = docComment([`The methods \`${before}${key}.…\`.`])
    return `${doc}readonly ${memberName(key)}: {\n${members.map((text) => `${indent(text)}\n`).join('')}}`
  })
}
