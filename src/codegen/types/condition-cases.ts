import type { LocatedSchema } from '../../contract/index.js'

/** What a case says of one member: whether it is present, and which schemas its value matches or not. */
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

/** Returns the case in which a member is present, or absent. */
export function presence(name: string, says: 'present' | 'absent'): Case {
  return new Map([[name, { presence: says, holds: [] }]])
}

/** `properties` says nothing of absent members. */
export function memberMatches(name: string, schema: LocatedSchema): Case {
  if (schema.schema === false) return presence(name, 'absent')
  return new Map([[name, { holds: [{ schema, matches: true }] }]])
}

/** Returns the case in which a member is present and does not match a schema. */
export function memberDiffers(name: string, schema: LocatedSchema): Case {
  return new Map([[name, { presence: 'present', holds: [{ schema, matches: false }] }]])
}

/** Returns the cases in which one case of each list holds. */
export function product(lists: readonly (readonly Case[])[]): readonly Case[] {
  return lists.reduce<readonly Case[]>(
    (found, list) => limited(found.flatMap((one) => list.flatMap((other) => both(one, other)))),
    anything,
  )
}

/** Returns both cases as one, or nothing if they contradict each other. */
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
