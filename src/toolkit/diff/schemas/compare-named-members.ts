import {
  arrayMember,
  joinPointer,
  type LocatedSchema,
  matchesPattern,
  schemaMap,
  schemaMember,
  takesAnything,
} from '../../contract/index.js'
import { type Effect, effects, type Party } from '../effect.js'
import { shown } from '../words.js'
import { canonicalSchema } from './canonical-schema.js'
import { type Comparison, shares } from './comparison.js'
import type { SchemaMatch } from './match-schemas.js'
import { describedMembers, type MergedSide } from './merged-members.js'
import { keywordsOf, schemaOrAnything } from './schema-view.js'

/** A member of an object as one side describes it. */
interface Member {
  readonly described: LocatedSchema | undefined
  /** The schema that applies if `properties` does not describe the member. */
  readonly otherwise: LocatedSchema
  /** The schemas that further conditions state for the member. */
  readonly elsewhere: readonly LocatedSchema[]
  readonly required: boolean
}

/**
 * Compares `properties` and `required` (draft-07 validation, sections 6.5.3 and 6.5.4) member by member. A
 * member that only one side describes counts as added or removed, even if the other side accepts undescribed
 * members.
 * @param comparison the two schemas
 * @param before the members of the old schema
 * @param after the members of the new schema
 */
export function compareNamedMembers(comparison: Comparison, before: MergedSide, after: MergedSide): void {
  const [old, next] = [membersOf(before), membersOf(after)]
  for (const name of new Set([...old.names, ...next.names])) {
    compareMember(comparison, name, old.member(name), next.member(name))
  }
}

/**
 * Compares members that conditions of both documents describe. A further condition that begins to describe such a
 * member narrows it, although that condition by itself only gets one more member.
 * @param pairs the conditions of both documents
 */
export function compareSharedMembers(
  comparison: Comparison,
  { pairs }: SchemaMatch,
  before: MergedSide,
  after: MergedSide,
): void {
  if (!shares(comparison, ['object'])) return
  const { oldSource, newSource } = comparison
  const [old, next] = [membersOf(before), membersOf(after)]
  for (const pair of pairs) {
    const [was, is] = [describedMembers(pair.old, oldSource), describedMembers(pair.new, newSource)]
    for (const [name, schema] of is) {
      if (!was.some(([own]) => own === name))
        noteCondition(comparison, name, schema, schemasOf(old.member(name)), 'constraint-added')
    }
    for (const [name, schema] of was) {
      if (!is.some(([own]) => own === name))
        noteCondition(comparison, name, schema, schemasOf(next.member(name)), 'constraint-removed')
    }
  }
}

const schemasOf = ({ described, elsewhere }: Member) => [...(described ? [described] : []), ...elsewhere]

function membersOf({ own, described: parts, elsewhere }: MergedSide) {
  const described = new Map(parts.flatMap((part) => schemaMap(part, 'properties')))
  const required = new Set(
    parts
      .flatMap((part) => arrayMember(keywordsOf(part), 'required'))
      .filter((name) => typeof name === 'string'),
  )
  return {
    names: [...described.keys(), ...required],
    member: (name: string): Member => ({
      described: described.get(name),
      otherwise: undescribed(own, name),
      elsewhere: elsewhere(name),
      required: required.has(name),
    }),
  }
}

/**
 * Returns the schema of a member that `properties` does not describe: matching patterns, `additionalProperties`, or
 * `unevaluatedProperties`.
 */
function undescribed(side: LocatedSchema, name: string): LocatedSchema {
  const matching = schemaMap(side, 'patternProperties').filter(([pattern]) => matchesPattern(pattern, name))
  const [first, ...others] = matching.map(([, schema]) => schema)
  if (!first)
    return schemaMember(side, 'additionalProperties') ?? schemaOrAnything(side, 'unevaluatedProperties')
  if (others.length === 0) return first
  return {
    pointer: joinPointer(side.pointer, 'patternProperties', name, 'allOf'),
    schema: { allOf: [first, ...others].map(({ schema }) => schema) },
  }
}

function compareMember(comparison: Comparison, name: string, old: Member, next: Member): void {
  const tokens = ['properties', name]
  if (old.described && next.described) comparison.descend(old.described, next.described, tokens)
  else if (next.described && old.elsewhere.length > 0) {
    noteCondition(comparison, name, next.described, old.elsewhere, 'constraint-added')
  } else if (old.described && next.elsewhere.length > 0) {
    noteCondition(comparison, name, old.described, next.elsewhere, 'constraint-removed')
  } else if (next.described) {
    noteAdded(comparison, name, old, next)
    if (isCondition(old.otherwise)) comparison.descend(old.otherwise, next.described, tokens)
  } else if (old.described) {
    noteRemoved(comparison, name, old, next)
    if (isCondition(next.otherwise)) comparison.descend(old.described, next.otherwise, tokens)
  }
  const [fuller, barer] = next.required ? [next, old] : [old, next]
  const isReported =
    fuller.described !== undefined && barer.described === undefined && barer.elsewhere.length === 0
  if (old.required === next.required || isReported) return
  const [kind, effect, verb] = next.required
    ? (['member-required', effects.narrowed, 'became required'] as const)
    : (['member-optional', effects.widened, 'became optional'] as const)
  comparison.note(kind, effect, `member ${shown(name)} ${verb}`, sides(comparison, name, old, next))
}

/**
 * Reports a schema of a member that one side adds to those of the other side, unless it repeats one of these.
 * @param described the additional schema of the member
 * @param elsewhere the member's schemas on the other side. Without any, the member itself was added or removed.
 */
function noteCondition(
  comparison: Comparison,
  name: string,
  described: LocatedSchema,
  elsewhere: readonly LocatedSchema[],
  kind: 'constraint-added' | 'constraint-removed',
): void {
  const { oldSource, newSource } = comparison
  const isAdded = kind === 'constraint-added'
  const [own, theirs] = isAdded ? [newSource, oldSource] : [oldSource, newSource]
  const meaning = canonicalSchema(own.end(described), own)
  const isRepeated = elsewhere.some((one) => canonicalSchema(theirs.end(one), theirs) === meaning)
  if (elsewhere.length === 0 || isRepeated || takesAnything(described)) return
  comparison.note(
    kind,
    isAdded ? effects.narrowed : effects.widened,
    `member ${shown(name)} ${isAdded ? 'gained' : 'lost'} a condition`,
    { [isAdded ? 'new' : 'old']: { pointer: described.pointer } },
  )
}

/** Returns true for a schema that allows some values but not all. */
function isCondition(schema: LocatedSchema): boolean {
  return schema.schema !== false && !takesAnything(schema)
}

function noteAdded(comparison: Comparison, name: string, old: Member, next: Member): void {
  const isNeeded = next.required && !old.required
  const wasForbidden = old.otherwise.schema === false
  const effect: Effect = {
    params: isNeeded || old.required ? ['clients', 'servers'] : ['servers'],
    results: [...party('clients', wasForbidden), ...party('servers', isNeeded || old.required)],
  }
  const reason = `gained ${next.required ? 'required' : 'optional'} member ${shown(name)}`
  comparison.note('member-added', effect, reason, sides(comparison, name, old, next))
}

function noteRemoved(comparison: Comparison, name: string, old: Member, next: Member): void {
  const isForbidden = next.otherwise.schema === false
  const effect: Effect = {
    params: ['clients', ...party('servers', old.required)],
    results: ['clients', ...party('servers', isForbidden)],
  }
  const reason = `lost ${old.required ? 'required' : 'optional'} member ${shown(name)}`
  comparison.note('member-removed', effect, reason, sides(comparison, name, old, next))
}

function party(name: Party, isIn: boolean): readonly Party[] {
  return isIn ? [name] : []
}

function sides(comparison: Comparison, name: string, old: Member, next: Member) {
  const place = (side: LocatedSchema, { described }: Member) => ({
    pointer: described?.pointer ?? joinPointer(side.pointer, 'properties', name),
  })
  return { old: place(comparison.old, old), new: place(comparison.new, next) }
}
