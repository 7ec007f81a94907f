import type { Method } from '../contract/index.js'
import { docComment, indent, memberName } from './text.js'

/**
 * The members that lead to each method's function in clients and handlers, by the method's name on the wire:
 * `wallet.listKeys` is `listKeys` of `wallet`.
 *
 * A name is divided at its dots, and each part is a member of that very name, in quotes where it is no identifier.
 * Two names never get one place, because a place, read with its dots, is the name:
 * - a name that begins or ends with a dot, or has two side by side, is one member;
 * - a dot behind the name of another method divides nothing, because a function holds no namespace: beside a method
 *   `wallet` there is a member `'wallet.listKeys'`;
 * - `then` gets a `_` (and `then_` another one): an object with a function of that name would be taken for a promise.
 */
export type MemberPaths = ReadonlyMap<string, readonly string[]>

/** The places of a contract's methods. */
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

/** The place of a method. */
export function pathOf(paths: MemberPaths, { name }: Method): readonly string[] {
  return paths.get(name) ?? [name]
}

/** True where the place of a method is its name, as it is for most. */
export function isPlain(paths: MemberPaths, method: Method): boolean {
  const path = pathOf(paths, method)
  return path.length === 1 && path[0] === method.name
}

/** What documentation says of a method whose place is not its name. */
export function wireNote(paths: MemberPaths, method: Method): string | undefined {
  return isPlain(paths, method) ? undefined : `On the wire its name is \`${method.name}\`.`
}

/**
 * The members of an interface that has all methods, namespaces inside it.
 * @param write a method's member under the name that it gets there
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
