import { isObject, member } from '../../../contract/index.js'
import type { TypeText } from '../type-text.js'
import { type InlinePlace, isNullable, isSelfContained } from './inline-places.js'

/** Names a schema after its title alone, or after its place if it has no title that can be the name. */
export type Naming = 'title' | 'place'

/** Types that say everything about their values. */
const plainTypes = ['JsonObject', 'JsonValue', 'boolean', 'never', 'null']

/** Keywords beside which a title says nothing more than a type. */
const bareKeywords = new Set(['type', 'title', 'examples', 'default', '$comment'])

/**
 * Decides whether a schema that is written inline gets a name.
 * - Objects with members, and compositions of them, always have one. So have unions and tuples that are items,
 *   parameters or results.
 * - Strings, numbers, other lists, maps and unions have one if they have a title.
 * - Objects among the forms of `anyOf` or `oneOf` have one. Objects in `allOf` have one if they have a title.
 * @param body the type of the schema, with the schemas inside written inline
 * @param names the names of components
 */
export function namingOf(
  place: InlinePlace,
  { text, binds }: TypeText,
  names: ReadonlySet<string>,
): Naming | undefined {
  const { role, title, located } = place
  if (plainTypes.includes(text) || names.has(text)) return undefined
  const hasMembers = /\{\s*(?:\/\*\*|readonly (?!\[))/.test(text)
  const byTitle = title === undefined ? undefined : 'title'
  if (role === 'form' || role === 'part') {
    if (!hasMembers || !isSelfContained(place)) return undefined
    return role === 'form' && !isNullable(located) ? 'place' : byTitle
  }
  if (isNullable(located)) return byTitle
  const isList = binds === 'tight' && /^readonly .*\[\]$/s.test(text)
  if (isList) return role === 'result' && hasMembers ? 'place' : byTitle
  if (hasMembers) return 'place'
  const isPart = role === 'item' || role === 'param' || role === 'result'
  const isTuple = text.startsWith('readonly [')
  if (isTuple || partCount(text, binds) > 1) return isPart ? 'place' : byTitle
  const { schema } = located
  const isBare = isObject(schema) && Object.keys(schema).every((keyword) => bareKeywords.has(keyword))
  return isBare || member(isObject(schema) ? schema : {}, '$ref') !== undefined ? undefined : byTitle
}

/** Returns the number of types that a union or an intersection consists of, apart from null. */
function partCount(text: string, binds: TypeText['binds']): number {
  if (binds === 'tight') return 1
  return text.split(/ [|&] /).filter((part) => part !== 'null').length
}
