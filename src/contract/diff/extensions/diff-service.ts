import { type JsonValue, member, objectMember } from '../../json.js'
import type { Change } from '../change.js'
import { change, sidesAt } from '../diff-context.js'
import { type Collection, diffCollection, itemEntries, objectEntries } from './diff-collection.js'

/** Compares `x-networks`. A removed network breaks its clients, and an added one is compatible. */
export function diffNetworks(before: JsonValue | undefined, after: JsonValue | undefined): readonly Change[] {
  const rule: Collection = { noun: 'network', added: [], removed: ['clients'] }
  return diffCollection(rule, '#/info/x-networks', objectEntries(before), objectEntries(after))
}

/** Compares `x-failures`. Like errors, a removed failure breaks servers, and an added one is compatible. */
export function diffFailures(before: JsonValue | undefined, after: JsonValue | undefined): readonly Change[] {
  const rule: Collection = { noun: 'failure', added: [], removed: ['servers'] }
  return diffCollection(rule, '#/info/x-failures', objectEntries(before), objectEntries(after))
}

/**
 * Compares `x-tolerances`, which state accepted deviations. Clients rely on them, and servers must support
 * them.
 */
export function diffTolerances(
  before: JsonValue | undefined,
  after: JsonValue | undefined,
): readonly Change[] {
  const rule: Collection = { noun: 'tolerance', added: ['servers'], removed: ['clients'] }
  return diffCollection(rule, '#/info/x-tolerances', itemEntries(before), itemEntries(after))
}

/** Compares `x-additional-members`: whether results may have undescribed members. */
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
    ? [change('members-opened', pointer, ['clients'], 'results may have undescribed members', sides)]
    : [
        change(
          'members-closed',
          pointer,
          ['servers'],
          'results may no longer have undescribed members',
          sides,
        ),
      ]
}
