import type { LocatedSchema } from '../../contract/index.js'

/** A case's conditions on one member: its presence, and the schemas that its value matches or does not match. */
export interface MemberCase {
  readonly presence?: 'present' | 'absent'
  readonly holds: readonly { readonly schema: LocatedSchema; readonly matches: boolean }[]
}

/** One of the cases that conditions distinguish, by the members that it speaks of. */
export type Case = ReadonlyMap<string, MemberCase>

/** The case that says nothing. */
export const anything: readonly Case[] = [new Map()]

/** Number of cases beyond which conditions say nothing. */
const mostCases = 12

/** Creates a case that requires a member to be present or absent. */
export function presence(name: string, says: 'present' | 'absent'): Case {
  return new Map([[name, { presence: says, holds: [] }]])
}

/** Creates a case that requires a member, if it is present, to match a schema, as `properties` does. */
export function memberMatches(name: string, schema: LocatedSchema): Case {
  if (schema.schema === false) return presence(name, 'absent')
  return new Map([[name, { holds: [{ schema, matches: true }] }]])
}

/** Creates a case that requires a member to be present and not to match a schema. */
export function memberDiffers(name: string, schema: LocatedSchema): Case {
  return new Map([[name, { presence: 'present', holds: [{ schema, matches: false }] }]])
}

/** Combines lists of cases: each returned case joins one case of each list. */
export function product(lists: readonly (readonly Case[])[]): readonly Case[] {
  return lists.reduce<readonly Case[]>(
    (found, list) => limited(found.flatMap((one) => list.flatMap((other) => both(one, other)))),
    anything,
  )
}

/** Joins two cases. Returns an empty list if their conditions contradict each other. */
function both(one: Case, other: Case): readonly Case[] {
  const merged = new Map(one)
  for (const [name, { presence: says, holds }] of other) {
    const known = merged.get(name)
    if (says !== undefined && known?.presence !== undefined && known.presence !== says) return []
    const found = says ?? known?.presence
    merged.set(name, {
      ...(found === undefined ? {} : { presence: found }),
      holds: [...(known?.holds ?? []), ...holds],
    })
  }
  return [merged]
}

/** Returns the cases, or that which says nothing if they are too many. */
export function limited(list: readonly Case[]): readonly Case[] {
  return list.length > mostCases || list.some((one) => one.size === 0)
    ? list.length === 0
      ? list
      : anything
    : list
}
