import { arrayMember, type Contract, isObject, stringMember } from '../../contract/index.js'

/**
 * Mistake in the parameters of a derived case:
 * - `missing`, `surplus`: without a required parameter, or with an extra one;
 * - `null`: null for an optional parameter;
 * - `number`: a number where only text is allowed; `type`: another wrong JSON type;
 * - `text`: text of a wrong format or choice; `length`: a string that is too short or too long;
 * - `digits`: a number as text with leading zeros or without digits;
 * - `bounds`: a number or a list outside its bounds;
 * - `member`: a missing or forbidden member.
 */
export type Mistake =
  | 'missing'
  | 'surplus'
  | 'null'
  | 'number'
  | 'type'
  | 'text'
  | 'length'
  | 'digits'
  | 'bounds'
  | 'member'

/** Returns the ids of the rules that a mistake violates, at a place with the given component schemas. */
export type RulesFor = (mistake: Mistake, schemas: ReadonlySet<string>) => readonly string[]

/** Reads `x-derived-rules` of the info object. Without it, derived cases have no rules. */
export function derivedRules({ info }: Contract): RulesFor {
  const entries = arrayMember(info, 'x-derived-rules').flatMap((entry) => {
    const rule = isObject(entry) ? stringMember(entry, 'rule') : undefined
    if (!isObject(entry) || rule === undefined) return []
    const mistakes = arrayMember(entry, 'mistakes')
    const schemas = arrayMember(entry, 'schemas').flatMap((key) => (typeof key === 'string' ? [key] : []))
    return [{ rule, mistakes, schemas }]
  })
  return (mistake, described) => {
    const fitting = entries.filter(
      ({ mistakes, schemas }) =>
        mistakes.includes(mistake) && (schemas.length === 0 || schemas.some((key) => described.has(key))),
    )
    return [...new Set(fitting.map(({ rule }) => rule))]
  }
}
