import {
  type Contract,
  type JsonObject,
  joinPointer,
  member,
  objectMember,
  reachableSchemas,
  sameJson,
} from '../contract/index.js'
import type { Change } from './change.js'
import { byName, change, type DiffContext, objectMap } from './diff-context.js'

/** Components that are compared where methods use them. All others are documentation. */
const used: ReadonlySet<string> = new Set(['schemas', 'errors', 'contentDescriptors'])

/**
 * Compares `components` (OpenRPC 1.3, components object). These changes are compatible: their effects are
 * reported where methods use the component.
 * @param context the two contracts
 * @param renamed renamed components, old place to new place
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
  const isUsed = (pointer: string) => usedSchemas(context.new).has(pointer)
  return [
    ...removed.flatMap(([name]) => {
      const pointer = joinPointer(place, name)
      if (isErrorOfKept(context.old, context.new, pointer)) return []
      const to = renamed.get(pointer)
      return to === undefined
        ? change('component-removed', pointer, [], 'removed', { old: { pointer } })
        : change('component-renamed', to, [], `was ${pointer}`, { old: { pointer }, new: { pointer: to } })
    }),
    ...added.flatMap(([name]) => {
      const pointer = joinPointer(place, name)
      return renamedTo.has(pointer) || isUsed(pointer) || isErrorOfKept(context.new, context.old, pointer)
        ? []
        : [change('component-added', pointer, [], 'added', { new: { pointer } })]
    }),
    ...kept.flatMap(({ name, old: before, new: after }) => {
      const pointer = joinPointer(place, name)
      if (sameJson(before, after) || isReportedElsewhere(context, kind, pointer)) return []
      const reason = used.has(kind) ? 'changed; no method uses it in both documents' : 'changed'
      const sides = { old: { pointer }, new: { pointer } }
      return [change('component-changed', pointer, [], reason, sides)]
    }),
  ]
}

const knownUses = new WeakMap<Contract, ReadonlySet<string>>()

/** Returns the places of the schemas that methods use. The effects of an added component are reported there. */
function usedSchemas(contract: Contract): ReadonlySet<string> {
  const known = knownUses.get(contract)
  if (known) return known
  const used = reachableSchemas({ ...contract, schemas: [] }, () => undefined)
  const places = new Set(used.map(({ pointer }) => pointer))
  knownUses.set(contract, places)
  return places
}

/** True for an error of a method in both contracts; the method's diff reports it. */
function isErrorOfKept({ methods }: Contract, other: Contract, pointer: string): boolean {
  const kept = new Set(other.methods.map(({ name }) => name))
  return methods.some(
    ({ name, errors }) => kept.has(name) && errors.some((error) => error.pointer === pointer),
  )
}

function isReportedElsewhere({ old, new: next }: DiffContext, kind: string, pointer: string): boolean {
  if (kind === 'schemas') return true
  if (!used.has(kind)) return false
  return [old, next].every(({ methods }) =>
    methods.some(({ params, errors, result }) =>
      [...params, ...errors, ...(result ? [result] : [])].some((item) => item.pointer === pointer),
    ),
  )
}
