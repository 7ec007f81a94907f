import { isSafePattern } from 'redos-detector'
import { isObject, type JsonObject, stringMember } from '../json.js'
import { joinPointer } from '../json-pointer.js'
import { reachableSchemas } from '../model/reachable-schemas.js'
import { schemaKeywords, schemaMap } from '../model/schema.js'
import type { LintProblem, LintRule, LintSubject } from './lint-rule.js'

/** Bounds of the search for patterns that run away. */
const patternDefaults = {
  /** Ways to match one text above which a pattern is called unsafe. */
  mostWays: 200,
  /** Steps of the search; counted, not timed: what lint says is the same on every machine, however busy. */
  steps: 5_000,
} as const

/** Words of draft-07 (validation and core), of the next draft where they are honoured, and of OpenAPI where tolerated. */
const keywords: ReadonlySet<string> = new Set([
  ...schemaKeywords.one,
  ...schemaKeywords.list,
  ...schemaKeywords.map,
  ...`$id $schema $ref $comment $anchor title description default readOnly writeOnly examples example multipleOf maximum
  exclusiveMaximum minimum exclusiveMinimum maxLength minLength pattern items maxItems minItems uniqueItems
  maxProperties minProperties required const enum type format contentMediaType contentEncoding dependentRequired
  minContains maxContains nullable deprecated discriminator externalDocs prefixItems $dynamicRef $recursiveRef`
    .trim()
    .split(/\s+/),
])

/** Rules about schemas. */
export const schemaRules: readonly LintRule[] = [
  {
    name: 'unknown-keyword',
    severity: 'warning',
    summary: 'Schemas use words that JSON Schema has: another one asserts nothing.',
    advice: 'correct its name, remove it, or begin it with "x-"',
    check: (subject) => eachSchema(subject, unknownKeywords),
  },
  {
    name: 'unsafe-pattern',
    severity: 'warning',
    summary: 'No pattern can be made to run away by a long value (ReDoS).',
    check: unsafePatterns,
  },
]

function eachSchema(
  { contract }: LintSubject,
  check: (schema: JsonObject, pointer: string) => readonly LintProblem[],
): readonly LintProblem[] {
  return reachableSchemas(contract, () => undefined).flatMap(({ schema, pointer }) =>
    isObject(schema) ? check(schema, pointer) : [],
  )
}

function unknownKeywords(schema: JsonObject, pointer: string): readonly LintProblem[] {
  return Object.keys(schema)
    .filter((name) => !keywords.has(name) && !name.startsWith('x-'))
    .map((name) => ({
      pointer: joinPointer(pointer, name),
      message: `"${name}" is no word of JSON Schema, and asserts nothing`,
    }))
}

function unsafePatterns(subject: LintSubject): readonly LintProblem[] {
  const known = new Map<string, boolean>()
  const isUnsafe = (pattern: string) => {
    const unsafe = known.get(pattern) ?? runsAway(pattern)
    known.set(pattern, unsafe)
    return unsafe
  }
  return eachSchema(subject, (schema, pointer) => {
    const own = stringMember(schema, 'pattern')
    const names = schemaMap({ schema, pointer }, 'patternProperties').map(
      ([name]) => [name, joinPointer(pointer, 'patternProperties', name)] as const,
    )
    const all = own === undefined ? names : [[own, joinPointer(pointer, 'pattern')] as const, ...names]
    return all
      .filter(([pattern]) => isUnsafe(pattern))
      .map(([pattern, place]) => ({
        pointer: place,
        message: `${JSON.stringify(pattern)} takes very long for some values: make its repetitions exclude each other, or bound them`,
      }))
  })
}

function runsAway(pattern: string): boolean {
  try {
    const { safe } = isSafePattern(pattern, {
      maxScore: patternDefaults.mostWays,
      maxSteps: patternDefaults.steps,
    })
    return !safe
  } catch {
    return false // what is no regular expression is told by another rule
  }
}
