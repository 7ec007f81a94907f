import { arrayMember, type Contract, isObject, stringMember } from '../../contract/index.js'

/**
 * What is wrong with parameters that a derived case sends:
 * - `missing`, `surplus`: a required parameter is left out; there is one more than the method has;
 * - `null`: null for an optional parameter;
 * - `number`: a number where only text is taken; `type`: another JSON type that is not taken;
 * - `text`: text of no allowed form or choice; `length`: text that is too short or too long;
 * - `digits`: a number in text with leading zeros, or without digits;
 * - `bounds`: a number or a list beyond its bounds;
 * - `member`: a member is missing, or not allowed.
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

/** The ids of the contract's rules that a mistake goes against, at a place that the given component schemas describe. */
export type RulesFor = (mistake: Mistake, schemas: ReadonlySet<string>) => readonly string[]

/** What the contract says of it: `x-derived-rules` on the info object; a contract without it ties its cases to no rule. */
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
