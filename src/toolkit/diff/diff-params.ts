import { joinPointer, type Method, type Param } from '../contract/index.js'
import type { Change, ChangeSide } from './change.js'
import type { ChangeKind } from './change-kinds.js'
import { change, type DiffContext, everybody } from './diff-context.js'
import { diffTexts } from './diff-texts.js'
import type { Party } from './effect.js'
import { isShared } from './places.js'
import { shown } from './words.js'

/** Members of a content descriptor that are compared by dedicated functions. */
const comparedMembers: ReadonlySet<string> = new Set(['name', 'required', 'schema'])

type Structure = Method['paramStructure']

/** How callers can address parameters in both contracts. */
interface Addressing {
  /** True if both contracts allow parameters as a list. */
  readonly byPosition: boolean
  /** True if both contracts allow parameters as an object. */
  readonly byName: boolean
}

/** A parameter and its position. */
interface Placed {
  readonly param: Param
  readonly at: number
}

/** Compares the parameters of a method (OpenRPC 1.3, method object, `params` and `paramStructure`). */
export function diffParams(context: DiffContext, old: Method, next: Method): readonly Change[] {
  const addressing = {
    byPosition: old.paramStructure !== 'by-name' && next.paramStructure !== 'by-name',
    byName: old.paramStructure !== 'by-position' && next.paramStructure !== 'by-position',
  }
  const { pairs, removed, added } = matchParams(old.params, next.params, addressing)
  return [
    ...diffStructure(old, next),
    ...removed.map((placed) => removedParam(old, placed)),
    ...added.map((placed) => addedParam(next, placed)),
    ...pairs.flatMap((pair) => diffParam(context, next.name, pair, addressing)),
  ]
}

function diffStructure(old: Method, next: Method): readonly Change[] {
  const [before, after] = [old.paramStructure, next.paramStructure]
  if (before === after) return []
  const parties: readonly Party[] =
    before === 'either' ? ['clients'] : after === 'either' ? ['servers'] : everybody
  const reason = `parameters are sent ${structureText(after)} instead of ${structureText(before)}`
  return [
    change(
      'param-structure-changed',
      joinPointer('#/methods', next.name, 'paramStructure'),
      parties,
      reason,
      {
        old: { pointer: joinPointer(old.pointer, 'paramStructure'), value: before },
        new: { pointer: joinPointer(next.pointer, 'paramStructure'), value: after },
      },
    ),
  ]
}

function structureText(structure: Structure): string {
  return structure === 'either' ? 'by name or by position' : structure.replace('-', ' ')
}

/** Matches parameters by name, and renamed parameters by position if callers can send a list. */
function matchParams(before: readonly Param[], after: readonly Param[], { byPosition }: Addressing) {
  const [old, next] = [before, after].map((list) => list.map((param, at): Placed => ({ param, at })))
  const placedByName = new Map((next ?? []).map((placed) => [placed.param.name, placed]))
  const oldNames = new Set(before.map(({ name }) => name))
  const pairs: { readonly old: Placed; readonly new: Placed }[] = []
  const removed: Placed[] = []
  for (const placed of old ?? []) {
    const sameName = placedByName.get(placed.param.name)
    const samePlace = next?.[placed.at]
    const renamed = byPosition && samePlace && !oldNames.has(samePlace.param.name) ? samePlace : undefined
    const found = sameName ?? renamed
    if (found) pairs.push({ old: placed, new: found })
    else removed.push(placed)
  }
  const matched = new Set(pairs.map((pair) => pair.new))
  return { pairs, removed, added: (next ?? []).filter((placed) => !matched.has(placed)) }
}

/** Breaks both parties: old calls may send the parameter, and old servers may read it. */
function removedParam(method: Method, { param, at }: Placed): Change {
  const reason = `${requirement(param)} parameter ${shown(param.name)} removed`
  const pointer = joinPointer('#/methods', method.name, 'params', at)
  return change('param-removed', pointer, everybody, reason, {
    old: { pointer: joinPointer(method.pointer, 'params', at) },
  })
}

/**
 * Breaks servers, which do not expect the parameter. If it is required, old calls lack it and clients break
 * too.
 */
function addedParam(method: Method, { param, at }: Placed): Change {
  const parties: readonly Party[] = param.required ? everybody : ['servers']
  const reason = `${requirement(param)} parameter ${shown(param.name)} added`
  const pointer = joinPointer('#/methods', method.name, 'params', at)
  return change('param-added', pointer, parties, reason, {
    new: { pointer: joinPointer(method.pointer, 'params', at) },
  })
}

function requirement({ required }: Param): string {
  return required ? 'required' : 'optional'
}

function diffParam(
  context: DiffContext,
  method: string,
  { old, new: next }: { readonly old: Placed; readonly new: Placed },
  { byPosition, byName }: Addressing,
): readonly Change[] {
  const changes: Change[] = []
  const place = placeOf(method, old.param, next)
  const sides = { old: { pointer: old.param.pointer }, new: { pointer: next.param.pointer } }
  const shared: { methods?: readonly string[] } = place.startsWith('#/components/')
    ? { methods: [method] }
    : {}
  const note = (kind: ChangeKind, breaks: readonly Party[], reason: string, own: Sides = sides) =>
    void changes.push(change(kind, place, breaks, reason, { ...own, ...shared }))
  if (old.param.name !== next.param.name) {
    const reason = `renamed from ${shown(old.param.name)} to ${shown(next.param.name)}`
    note(
      'param-renamed',
      byName ? everybody : ['servers'],
      byName ? reason : `${reason}; parameters are sent by position only, but handlers use the name`,
    )
  }
  if (old.at !== next.at) {
    const reason = `moved from position ${old.at} to ${next.at}`
    note(
      'param-moved',
      byPosition ? everybody : [],
      byPosition ? reason : `${reason}; parameters are sent by name only`,
    )
  }
  if (next.param.required && !old.param.required) note('param-required', ['clients'], 'became required')
  if (old.param.required && !next.param.required) note('param-optional', ['servers'], 'became optional')
  const schemaPlace = joinPointer(place, 'schema')
  context.schemas.start(old.param.schema, next.param.schema, schemaPlace, 'params', method)
  const pair = { old: old.param.pointer, new: next.param.pointer, place }
  return [...changes, ...diffTexts(context, pair, (name) => comparedMembers.has(name), shared.methods)]
}

interface Sides {
  readonly old: ChangeSide
  readonly new: ChangeSide
}

/** Returns the place to report: the component for a shared content descriptor, otherwise the method. */
function placeOf(method: string, old: Param, { param, at }: Placed): string {
  const isComponent = old.pointer === param.pointer && isShared(param.pointer)
  return isComponent ? param.pointer : joinPointer('#/methods', method, 'params', at)
}
