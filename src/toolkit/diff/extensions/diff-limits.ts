import {
  isObject,
  type JsonObject,
  type JsonValue,
  joinPointer,
  member,
  sameJson,
} from '../../contract/index.js'
import type { Change } from '../change.js'
import { byName, change, changedMembers, everybody, objectMap, sidesAt } from '../diff-context.js'
import { listed, shown } from '../words.js'

const place = '#/info/x-limits'

/**
 * Compares `x-limits` by name. A lower limit breaks clients, and a higher limit breaks servers. Limits that
 * are not numbers or change their unit cannot be ordered. Private limits break neither.
 * @param before the old `x-limits`
 * @param after the new `x-limits`
 */
export function diffLimits(before: JsonValue | undefined, after: JsonValue | undefined): readonly Change[] {
  const { added, removed, kept } = byName(objectMap(before), objectMap(after))
  return [
    ...added.map(([name, limit]) => {
      const sides = sidesAt(joinPointer(place, name), undefined, limit)
      return change(
        'limit-added',
        joinPointer(place, name),
        isPrivate(limit) ? [] : ['clients'],
        `limit added: ${amount(limit)}`,
        sides,
      )
    }),
    ...removed.map(([name, limit]) => {
      const sides = sidesAt(joinPointer(place, name), limit, undefined)
      return change(
        'limit-removed',
        joinPointer(place, name),
        isPrivate(limit) ? [] : ['servers'],
        `limit removed: ${amount(limit)}`,
        sides,
      )
    }),
    ...kept.flatMap(({ name, old, new: next }) => [
      ...diffLimit(joinPointer(place, name), old, next),
      ...diffLimitTexts(joinPointer(place, name), old, next),
    ]),
  ]
}

function diffLimit(pointer: string, old: JsonObject, next: JsonObject): readonly Change[] {
  const [before, after] = [member(old, 'value'), member(next, 'value')]
  if (sameJson(before, after) && sameJson(member(old, 'unit'), member(next, 'unit'))) return []
  const sides = sidesAt(joinPointer(pointer, 'value'), before, after)
  const became = `${amount(old)} became ${amount(next)}`
  if (isPrivate(old) && isPrivate(next)) {
    return [change('extension-changed', pointer, [], `callers do not observe it (${became})`, sides)]
  }
  const isOrdered = typeof before === 'number' && typeof after === 'number'
  if (!isOrdered || !sameJson(member(old, 'unit'), member(next, 'unit'))) {
    const reason = `${became}: cannot tell which allows more`
    return [change('limit-changed', pointer, everybody, reason, { ...sides, undecided: true })]
  }
  return after < before
    ? [change('limit-lowered', pointer, ['clients'], `lowered: ${became}`, sides)]
    : [change('limit-raised', pointer, ['servers'], `raised: ${became}`, sides)]
}

/** Returns true for a limit that concerns the service alone. */
function isPrivate(limit: JsonValue): boolean {
  return isObject(limit) && member(limit, 'private') === true
}

function diffLimitTexts(pointer: string, old: JsonObject, next: JsonObject): readonly Change[] {
  const changed = changedMembers(old, next).filter((name) => name !== 'value' && name !== 'unit')
  if (changed.length === 0) return []
  return [
    change('documentation-changed', pointer, [], `${listed(changed)} changed`, sidesAt(pointer, old, next)),
  ]
}

/** Formats a limit: `100 requests`. */
function amount(limit: JsonValue): string {
  const [value, unit] = isObject(limit) ? [member(limit, 'value'), member(limit, 'unit')] : [limit, undefined]
  return typeof unit === 'string' ? `${shown(value)} ${unit}` : shown(value)
}
