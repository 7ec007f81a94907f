import { type JsonObject, member, objectMember } from '../json.js'
import { joinPointer } from '../json-pointer.js'
import { sameJson } from './canonical.js'
import type { Change } from './change.js'
import { byName, change, type DiffContext, objectMap } from './diff-context.js'

/** Components that are compared where methods use them; the others only describe. */
const used: ReadonlySet<string> = new Set(['schemas', 'errors', 'contentDescriptors'])

/**
 * What came, went and changed under `components` (OpenRPC 1.3, components object). By itself a component promises
 * nothing: what a change means is told where methods use it, so that here all is compatible.
 */
export function diffComponents(
  context: DiffContext,
  renamed: ReadonlyMap<string, string>,
): readonly Change[] {
  const [old, next] = [context.old, context.new].map(({ document }) => objectMember(document, 'components'))
  if (!old || !next) return []
  const kinds = [...new Set([...Object.keys(old), ...Object.keys(next)])]
  return kinds.flatMap((kind) => diffKind(context, kind, [old, next], renamed))
}

function diffKind(
  context: DiffContext,
  kind: string,
  [old, next]: readonly [JsonObject, JsonObject],
  renamed: ReadonlyMap<string, string>,
): readonly Change[] {
  const place = joinPointer('#/components', kind)
  const { added, removed, kept } = byName(objectMap(member(old, kind)), objectMap(member(next, kind)))
  const renamedTo = new Set(renamed.values())
  return [
    ...removed.flatMap(([name]) => {
      const pointer = joinPointer(place, name)
      const to = renamed.get(pointer)
      return to === undefined
        ? change('component-removed', pointer, [], 'removed', { old: { pointer } })
        : change('component-renamed', to, [], `was ${pointer}`, { old: { pointer }, new: { pointer: to } })
    }),
    ...added.flatMap(([name]) => {
      const pointer = joinPointer(place, name)
      return renamedTo.has(pointer)
        ? []
        : [change('component-added', pointer, [], 'added', { new: { pointer } })]
    }),
    ...kept.flatMap(({ name, old: before, new: after }) => {
      const pointer = joinPointer(place, name)
      if (sameJson(before, after) || isToldElsewhere(context, kind, pointer)) return []
      const reason = used.has(kind) ? 'changed, and no method uses it in both documents' : 'changed'
      const sides = { old: { pointer }, new: { pointer } }
      return [change('component-changed', pointer, [], reason, sides)]
    }),
  ]
}

function isToldElsewhere({ old, new: next }: DiffContext, kind: string, pointer: string): boolean {
  if (kind === 'schemas') return true
  if (!used.has(kind)) return false
  return [old, next].every(({ methods }) =>
    methods.some(({ params, errors, result }) =>
      [...params, ...errors, ...(result ? [result] : [])].some((item) => item.pointer === pointer),
    ),
  )
}
