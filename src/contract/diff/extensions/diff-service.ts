import { type JsonValue, member, objectMember } from '../../json.js'
import type { Change } from '../change.js'
import { change, sidesAt } from '../diff-context.js'
import { type Collection, diffCollection, itemEntries, objectEntries } from './diff-collection.js'

/** `x-networks`: a network less leaves its clients without one; one more is nobody's loss. */
export function diffNetworks(before: JsonValue | undefined, after: JsonValue | undefined): readonly Change[] {
  const rule: Collection = { noun: 'network', added: [], removed: ['clients'] }
  return diffCollection(rule, '#/info/x-networks', objectEntries(before), objectEntries(after))
}

/** `x-failures`: as with errors, a client may meet none that it does not know, and a server may answer none that is gone. */
export function diffFailures(before: JsonValue | undefined, after: JsonValue | undefined): readonly Change[] {
  const rule: Collection = { noun: 'failure', added: ['clients'], removed: ['servers'] }
  return diffCollection(rule, '#/info/x-failures', objectEntries(before), objectEntries(after))
}

/** `x-tolerances`: what is taken beyond the contract; clients lean on it, servers must do it. */
export function diffTolerances(
  before: JsonValue | undefined,
  after: JsonValue | undefined,
): readonly Change[] {
  const rule: Collection = { noun: 'tolerance', added: ['servers'], removed: ['clients'] }
  return diffCollection(rule, '#/info/x-tolerances', itemEntries(before), itemEntries(after))
}

/** `x-additional-members`: whether results may hold members that the contract does not describe. */
export function diffAdditionalMembers(
  before: JsonValue | undefined,
  after: JsonValue | undefined,
): readonly Change[] {
  const pointer = '#/info/x-additional-members'
  const [old, next] = [objectMember({ before }, 'before'), objectMember({ after }, 'after')]
  const [from, to] = [member(old, 'allowed') !== false, member(next, 'allowed') !== false]
  const sides = sidesAt(pointer, before, after)
  if (from === to) return [change('documentation-changed', pointer, [], 'reason changed', sides)]
  return to
    ? [
        change(
          'members-opened',
          pointer,
          ['clients'],
          'results may have members that are not described',
          sides,
        ),
      ]
    : [
        change(
          'members-closed',
          pointer,
          ['servers'],
          'results may have no members that are not described',
          sides,
        ),
      ]
}
