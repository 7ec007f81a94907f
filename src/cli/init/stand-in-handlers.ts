import { indentRest, literalKey, quote } from '../../toolkit/codegen/index.js'
import type { StandIn } from './stand-ins.js'

/** Formats the object of handlers: a function for each method, and an object for each namespace. */
export const standInHandlers = (standIns: readonly StandIn[]): string =>
  branch(standIns.map((standIn) => ({ standIn, path: standIn.path })))

interface Placed {
  readonly standIn: StandIn
  readonly path: readonly string[]
}

function branch(placed: readonly Placed[]): string {
  const byKey = new Map<string, Placed[]>()
  for (const { standIn, path } of placed) {
    const [key = '', ...rest] = path
    byKey.set(key, [...(byKey.get(key) ?? []), { standIn, path: rest }])
  }
  if (byKey.size === 0) return '{}'
  const members = [...byKey].map(([key, inside]) => {
    const [first] = inside
    const value = first?.path.length === 0 ? handler(first.standIn) : branch(inside)
    return `  ${literalKey(key)}: ${indentRest(value)},\n`
  })
  return `{\n${members.join('')}}`
}

function handler({ kind, method, notification }: StandIn): string {
  const name = quote(method.name)
  if (kind === 'subscription' && notification !== undefined)
    return `itemsFromExamples(${quote(notification.name)})`
  if (kind === 'example') return `fromExamples(${name})`
  return kind === 'missing' ? `() => notImplemented(${name})` : '() => {}'
}
