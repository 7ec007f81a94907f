import { isAnnotation, type LocatedSchema, schemaMap, takesAnything } from '../../contract/index.js'
import type { Comparison } from './comparison.js'
import { matchSchemas, type SchemaMatch } from './match-schemas.js'
import type { SchemaSource } from './schema-source.js'
import { type Conjunction, conjunctionOf, keyword, keywordsOf, schemaOrAnything } from './schema-view.js'

/** One side of a comparison whose conditions (`$ref`, `allOf`) are merged where they only describe members. */
export interface MergedSide {
  /** The keywords beside the conditions. */
  readonly own: LocatedSchema
  /** The schemas that describe members: `own`, and the merged conditions. */
  readonly described: readonly LocatedSchema[]
  /** Returns the schemas of a member in the conditions that were not merged. */
  readonly elsewhere: (name: string) => readonly LocatedSchema[]
}

/** Both sides, and the conditions that were not merged. */
interface MergedSides {
  readonly old: MergedSide
  readonly new: MergedSide
  readonly conditions: SchemaMatch
  /** All conditions of the new schema. */
  readonly after: readonly LocatedSchema[]
}

/**
 * Merges the conditions that only describe members, so that a member in a base schema is compared like a member
 * beside it. Bases of both sides that correspond stay: their changes are reported once, at the base, unless members
 * moved into or out of them.
 */
export function mergedMembers({ old, new: next, oldSource, newSource }: Comparison): MergedSides {
  const [before, after] = [conjunctionOf(old), conjunctionOf(next)]
  const match = matchSchemas(before.others, after.others, { oldSource, newSource })
  const left = createMerge(before, oldSource)
  const right = createMerge(after, newSource)
  const removed = match.removed.filter((part) => !left.take(part))
  const added = match.added.filter((part) => !right.take(part))
  const pairs = match.pairs.filter((pair) => {
    const [names, others] = [left.membersOf(pair.old), right.membersOf(pair.new)]
    const hasMoved = right.hasSome(names) || left.hasSome(others)
    if (!hasMoved || !left.hasRoom(pair.old, names) || !right.hasRoom(pair.new, others)) return true
    return !(left.take(pair.old) && right.take(pair.new))
  })
  return { old: left.side(), new: right.side(), conditions: { pairs, removed, added }, after: after.others }
}

/** The schemas of a condition that only describes members, and their names. */
interface Members {
  readonly schemas: readonly LocatedSchema[]
  readonly names: readonly string[]
}

/** Collects the conditions whose members are compared as members of the schema itself. */
function createMerge({ own, others }: Conjunction, source: SchemaSource) {
  const described = [own]
  const left = new Map(others.map((part) => [part, describedMembers(part, source)]))
  const names = new Set(namesOf(own))
  const isOpen = takesAnything(schemaOrAnything(own, 'additionalProperties')) && isObjectType(own)
  let { schema } = own

  const hasSome = (members: Members | undefined): boolean =>
    members?.names.some((name) => names.has(name)) ?? false
  /** Returns true if another condition also describes one of the members: it would narrow the merged one unseen. */
  const isShared = (part: LocatedSchema, { names: own }: Members): boolean =>
    [...left].some(([other, members]) => other !== part && members.some(([name]) => own.includes(name)))
  const hasRoom = (part: LocatedSchema, members: Members | undefined): members is Members =>
    isOpen &&
    members !== undefined &&
    !hasSome(members) &&
    !isShared(part, members) &&
    new Set(members.names).size === members.names.length
  const membersOf = (part: LocatedSchema) => partMembers(part, source, new Set())

  return {
    hasSome,
    hasRoom,
    membersOf,
    /** Merges a condition. Returns false if it does more than describe further members. */
    take: (part: LocatedSchema): boolean => {
      const members = membersOf(part)
      if (!hasRoom(part, members)) return false
      left.delete(part)
      for (const name of members.names) names.add(name)
      described.push(...members.schemas)
      if (members.schemas.some((one) => keyword(one, 'type') !== undefined))
        schema = { ...keywordsOf(own), type: 'object' }
      return true
    },
    side: (): MergedSide => ({
      own: { ...own, schema },
      described,
      elsewhere: (wanted) =>
        [...left.values()].flat().flatMap(([name, member]) => (name === wanted ? [member] : [])),
    }),
  }
}

/** Returns the members that a condition and its own conditions describe. */
export function describedMembers(
  part: LocatedSchema,
  source: SchemaSource,
  seen: ReadonlySet<string> = new Set(),
): readonly (readonly [string, LocatedSchema])[] {
  const end = source.end(part)
  if (seen.has(end.pointer)) return []
  const { own, others } = conjunctionOf(end)
  const inside = new Set([...seen, end.pointer])
  return [
    ...schemaMap(own, 'properties'),
    ...others.flatMap((other) => describedMembers(other, source, inside)),
  ]
}

/** Returns the members of a condition, if it only describes members. */
function partMembers(
  part: LocatedSchema,
  source: SchemaSource,
  seen: ReadonlySet<string>,
): Members | undefined {
  const end = source.end(part)
  if (seen.has(end.pointer) || takesAnything(end)) return undefined
  const inside = new Set([...seen, end.pointer])
  const { own, others } = conjunctionOf(end)
  const isPlain = Object.keys(keywordsOf(own)).every((name) => memberKeywords.has(name) || isAnnotation(name))
  if (!isPlain || !isObjectType(own) || end.schema === false) return undefined
  const inner = others.map((other) => partMembers(other, source, inside))
  if (!inner.every((members) => members !== undefined)) return undefined
  return {
    schemas: [own, ...inner.flatMap(({ schemas }) => schemas)],
    names: [...namesOf(own), ...inner.flatMap(({ names }) => names)],
  }
}

const memberKeywords: ReadonlySet<string> = new Set(['type', 'properties', 'required'])

function isObjectType(located: LocatedSchema): boolean {
  const type = keyword(located, 'type')
  return type === undefined || type === 'object'
}

function namesOf(located: LocatedSchema): readonly string[] {
  return schemaMap(located, 'properties').map(([name]) => name)
}
