import {
  isArray,
  isObject,
  type JsonValue,
  joinPointer,
  listChanges,
  member,
  objectMember,
} from '../../contract/index.js'
import type { Change } from '../change.js'
import { change, changedMembers, sidesAt, undecidedChange } from '../diff-context.js'
import { counted } from '../words.js'

/**
 * Compares `x-http`, such as its paths. Removed values break clients, and added values break servers.
 */
export function diffHttp(
  before: JsonValue | undefined,
  after: JsonValue | undefined,
  place: string = '#/info/x-http',
): readonly Change[] {
  const [old, next] = [objectMember({ before }, 'before'), objectMember({ after }, 'after')]
  return changedMembers(old, next).flatMap((name) => {
    const pointer = joinPointer(place, name)
    const [from, to] = [member(old, name), member(next, name)]
    if (isObject(from) && isObject(to)) return diffHttp(from, to, pointer)
    if (!isArray(from) || !isArray(to)) return [undecidedChange('http-changed', pointer, from, to)]
    const { added, removed } = listChanges(from, to)
    const sides = sidesAt(pointer, from, to)
    if (added.length + removed.length === 0)
      return [change('http-changed', pointer, [], 'order changed', sides)]
    return [
      ...(added.length > 0
        ? [change('http-changed', pointer, ['servers'], `gained the ${counted('value', added)}`, sides)]
        : []),
      ...(removed.length > 0
        ? [change('http-changed', pointer, ['clients'], `lost the ${counted('value', removed)}`, sides)]
        : []),
    ]
  })
}
