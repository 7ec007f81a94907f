import { joinPointer, type Method } from '../contract/index.js'
import type { Change } from './change.js'
import { byName, change, type DiffContext, everybody } from './diff-context.js'
import { diffErrors } from './diff-errors.js'
import { diffParams } from './diff-params.js'
import { diffTexts } from './diff-texts.js'
import type { Party } from './effect.js'
import { diffMethodExtensions } from './extensions/diff-method-extensions.js'

/** Members of a method object that are compared by dedicated functions. Others are documentation. */
const compared: ReadonlySet<string> = new Set([
  ...['name', 'params', 'paramStructure', 'result', 'errors', 'deprecated'],
])

/** Compares the methods by name. Their order has no meaning (OpenRPC 1.3, method object). */
export function diffMethods(context: DiffContext): readonly Change[] {
  const { added, removed, kept } = byName(methodMap(context.old.methods), methodMap(context.new.methods))
  return [
    ...removed.map(([name, { pointer }]) =>
      change('method-removed', joinPointer('#/methods', name), everybody, 'removed', { old: { pointer } }),
    ),
    ...added.map(([name, method]) =>
      change('method-added', joinPointer('#/methods', name), addedFor(method), 'added', {
        new: { pointer: method.pointer },
      }),
    ),
    ...kept.flatMap(({ old, new: next }) => diffMethod(context, old, next)),
  ]
}

function methodMap(methods: readonly Method[]): ReadonlyMap<string, Method> {
  return new Map(methods.map((method) => [method.name, method]))
}

/** A party that lacks a new method. Unknown notifications are ignored. */
function addedFor(method: Method): readonly Party[] {
  const parties = inDirection(['servers'], method)
  return method.result === undefined ? parties.filter((party) => party === 'servers') : parties
}

/** Returns the parties that a change breaks, for parties of a method that clients call. */
function inDirection(parties: readonly Party[], { extensions }: Method): readonly Party[] {
  const direction = extensions['x-direction']
  if (parties.length !== 1 || (direction !== 'serverToClient' && direction !== 'both')) return parties
  return direction === 'both' ? everybody : parties.includes('clients') ? ['servers'] : ['clients']
}

/** Returns a context whose schemas have the roles of a method's direction (`x-direction`). */
function directed(context: DiffContext, { extensions }: Method): DiffContext {
  const direction = extensions['x-direction']
  if (direction !== 'serverToClient' && direction !== 'both') return context
  const { schemas } = context
  return {
    ...context,
    schemas: {
      ...schemas,
      start: (old, next, place, role, user) => {
        if (direction === 'both') schemas.start(old, next, place, role, user)
        schemas.start(old, next, place, role === 'params' ? 'serverParams' : 'clientResults', user)
      },
    },
  }
}

function diffMethod(context: DiffContext, old: Method, next: Method): readonly Change[] {
  const own = directed(context, next)
  const changes = [
    ...diffParams(own, old, next),
    ...diffResult(own, old, next),
    ...diffErrors(own, old, next),
  ]
  return [
    ...diffDeprecation(old, next),
    ...changes.map((each) => ({ ...each, breaks: inDirection(each.breaks, next) })),
    ...diffMethodExtensions(context, old, next),
    ...diffTexts(
      context,
      { old: old.pointer, new: next.pointer, place: joinPointer('#/methods', next.name) },
      (name) => compared.has(name) || name.startsWith('x-'),
    ),
  ]
}

function diffDeprecation(old: Method, next: Method): readonly Change[] {
  if (old.deprecated === next.deprecated) return []
  const [kind, reason] = next.deprecated
    ? (['method-deprecated', 'deprecated: it will be removed'] as const)
    : (['method-restored', 'no longer deprecated'] as const)
  const sides = { old: { pointer: old.pointer }, new: { pointer: next.pointer } }
  return [change(kind, joinPointer('#/methods', next.name), [], reason, sides)]
}

/** Compares the result. A method without a result can only be called as a notification. */
function diffResult(context: DiffContext, old: Method, next: Method): readonly Change[] {
  const place = joinPointer('#/methods', next.name, 'result')
  const [before, after] = [old.result, next.result]
  const sides = {
    ...(before && { old: { pointer: before.pointer } }),
    ...(after && { new: { pointer: after.pointer } }),
  }
  if (!before || !after) {
    if (before === after) return []
    return after
      ? [change('result-added', place, ['servers'], 'returns a result now and was a notification', sides)]
      : [change('result-removed', place, everybody, 'is a notification now and returned a result', sides)]
  }
  context.schemas.start(before.schema, after.schema, joinPointer(place, 'schema'), 'results', next.name)
  const pair = { old: before.pointer, new: after.pointer, place }
  return diffTexts(context, pair, (name) => name === 'schema')
}
