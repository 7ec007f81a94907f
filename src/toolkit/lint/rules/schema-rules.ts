import {
  dialectOf,
  isObject,
  isSchema,
  isUnsafePattern,
  type JsonObject,
  joinPointer,
  keywordRows,
  member,
  objectMember,
  reachableSchemas,
  schemaMap,
  stringMember,
  tupleKeywords,
} from '../../contract/index.js'
import type { LintProblem, LintRule, LintSubject } from '../lint-rule.js'

/** The dialect with `prefixItems`. */
const newest = 'https://json-schema.org/draft/2020-12/schema'

/** Keywords of later drafts that OpenRPC's draft-07 ignores, and what to write instead. */
const laterKeywords: Readonly<Record<string, string>> = {
  prefixItems: `write the tuple as a list under "items", or add "$schema": "${newest}"`,
  $dynamicRef: 'use "$ref"',
  $recursiveRef: 'use "$ref"',
}

/** Rules about schemas. */
export const schemaRules: readonly LintRule[] = [
  {
    name: 'unknown-keyword',
    severity: 'warning',
    summary: 'Schemas use JSON Schema keywords. Unknown keywords have no effect.',
    advice: 'correct its name, remove it, or prefix it with "x-"',
    check: (subject) => eachSchema(subject, unknownKeywords),
  },
  {
    name: 'ignored-tuple',
    severity: 'error',
    summary:
      'Tuples of 2020-12 are in schemas of this dialect. In draft-07, "items" applies to the first items, too.',
    check: (subject) => eachSchema(subject, ignoredTuples),
  },
  {
    name: 'unsafe-pattern',
    severity: 'warning',
    summary: 'The time to match each pattern grows at most linearly with the value (ReDoS).',
    check: unsafePatterns,
  },
  {
    // Found by `valueProblems` of the folder `values`, which the command passes to `lintContract`.
    name: 'pattern-without-examples',
    severity: 'warning',
    summary: 'Schemas have examples for patterns that no string can be generated for.',
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
  // In 2020-12, later keywords are supported or refused.
  const isReported = (name: string) =>
    name === 'prefixItems'
      ? tupleKeywords(schema) !== undefined || ignoredTuples(schema, pointer).length > 0
      : dialectOf(schema) !== undefined && Object.hasOwn(laterKeywords, name)
  return Object.keys(schema)
    .filter((name) => !keywordRows.has(name) && !name.startsWith('x-') && !isReported(name))
    .map((name) => ({ pointer: joinPointer(pointer, name), message: keywordMessage(name) }))
}

/** Finds `prefixItems` beside one schema in `items`, which draft-07 applies to all items. */
function ignoredTuples(schema: JsonObject, pointer: string): readonly LintProblem[] {
  const items = member(schema, 'items')
  if (member(schema, 'prefixItems') === undefined || !isSchema(items) || tupleKeywords(schema)) return []
  const message = `"prefixItems" has no effect in draft-07, so "items" applies to every item: add "$schema": "${newest}", or write the tuple under "items" and the other items under "additionalItems"`
  return [{ pointer: joinPointer(pointer, 'prefixItems'), message }]
}

function keywordMessage(name: string): string {
  const instead = Object.hasOwn(laterKeywords, name) ? laterKeywords[name] : undefined
  if (instead === undefined) return `"${name}" is not a JSON Schema keyword and has no effect`
  return `"${name}" has no effect, because JSON Schema draft-07 does not know it: ${instead}`
}

function unsafePatterns(subject: LintSubject): readonly LintProblem[] {
  const inSchemas = eachSchema(subject, (schema, pointer) => {
    const own = stringMember(schema, 'pattern')
    const names = schemaMap({ schema, pointer }, 'patternProperties').map(
      ([name]) => [name, joinPointer(pointer, 'patternProperties', name)] as const,
    )
    const all = own === undefined ? names : [[own, joinPointer(pointer, 'pattern')] as const, ...names]
    return all
      .filter(([pattern]) => isUnsafePattern(pattern))
      .map(([pattern, place]) => ({
        pointer: place,
        message: `${JSON.stringify(pattern)} is very slow for some values with RegExp and similar engines, which generated validators do not use for it but other programs do: ${remedy}`,
      }))
  })
  const ofIds = stringMember(objectMember(subject.info, 'x-envelope'), 'idPattern')
  if (ofIds === undefined || !isUnsafePattern(ofIds)) return inSchemas
  const message = `${JSON.stringify(ofIds)} is very slow for some ids, so that one request can occupy a server for minutes: ${remedy}`
  return [...inSchemas, { pointer: '#/info/x-envelope/idPattern', message }]
}

const remedy = 'bound its repetitions or make them disjoint'
