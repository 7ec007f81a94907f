import { type JsonObject, type JsonValue, joinPointer, member, objectMember } from '../../contract/index.js'
import type { Change } from '../change.js'
import {
  change,
  changedMembers,
  type DiffContext,
  schemaAt,
  sidesAt,
  undecidedChange,
} from '../diff-context.js'
import type { Party } from '../effect.js'
import { shown } from '../words.js'

const compared = ['response', 'idRequired', 'stringIds', 'nullIsAbsent']

/** Compares `x-envelope`: the schema of responses, and flags. */
export function diffEnvelope(
  { schemas }: DiffContext,
  before: JsonValue | undefined,
  after: JsonValue | undefined,
): readonly Change[] {
  const place = '#/info/x-envelope'
  const [old, next] = [objectMember({ before }, 'before'), objectMember({ after }, 'after')]
  const response = joinPointer(place, 'response')
  const schemaOf = (envelope: JsonObject) => schemaAt(member(envelope, 'response'), response)
  schemas.start(schemaOf(old), schemaOf(next), response, 'results', '')
  return [
    ...flagChange(place, 'idRequired', old, next, { on: 'clients', off: 'servers' }),
    ...flagChange(place, 'stringIds', old, next, { on: 'servers', off: 'clients' }),
    ...flagChange(place, 'nullIsAbsent', old, next, { on: 'servers', off: 'clients' }),
    ...changedMembers(old, next)
      .filter((name) => !compared.includes(name))
      .map((name) =>
        undecidedChange('envelope-changed', joinPointer(place, name), member(old, name), member(next, name)),
      ),
  ]
}

function flagChange(
  place: string,
  name: string,
  old: JsonObject,
  next: JsonObject,
  parties: { readonly on: Party; readonly off: Party },
): readonly Change[] {
  const [before, after] = [member(old, name), member(next, name)]
  if (before === after) return []
  const pointer = joinPointer(place, name)
  const party = after === true ? parties.on : parties.off
  const reason = `${shown(before)} became ${shown(after)}`
  return [change('envelope-changed', pointer, [party], reason, sidesAt(pointer, before, after))]
}
