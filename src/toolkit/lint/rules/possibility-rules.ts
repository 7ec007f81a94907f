import {
  arrayMember,
  type Contract,
  isObject,
  type JsonObject,
  joinPointer,
  type LocatedSchema,
  matchesPattern,
  member,
  reachableSchemas,
  schemaList,
  schemaMap,
  schemaMember,
  target,
  tupleKeywords,
} from '../../contract/index.js'
import type { LintProblem, LintRule, LintSubject } from '../lint-rule.js'

/** Rules about schemas that no value fits. */
export const possibilityRules: readonly LintRule[] = [
  {
    name: 'undeclared-required-member',
    severity: 'error',
    summary: 'A closed object declares the members that it requires.',
    check: ({ contract }) => schemasOf(contract).flatMap(undeclaredMembers),
  },
  {
    name: 'endless-value',
    severity: 'error',
    summary: 'No schema requires another value of itself in each of its values.',
    check: endlessValues,
  },
  {
    // Found by `valueProblems` (`refusals.ts`).
    name: 'no-value',
    severity: 'warning',
    summary: 'A value was found for each parameter and result.',
  },
]

const schemasOf = (contract: Contract) => reachableSchemas(contract, () => undefined)

/** Finds required members that `additionalProperties: false` forbids (JSON Schema draft-07 validation, section 6.5.6). */
function undeclaredMembers(located: LocatedSchema): readonly LintProblem[] {
  const { schema, pointer } = located
  if (!isObject(schema) || member(schema, 'additionalProperties') !== false) return []
  return arrayMember(schema, 'required').flatMap((name, at) => {
    if (typeof name !== 'string' || memberSchemas(located, name).length > 0) return []
    const message = `"${name}" is required, but the object is closed and does not declare it: add it to "properties", or remove it here`
    return [{ pointer: joinPointer(pointer, 'required', at), message }]
  })
}

/** Returns the schemas that declare a member: that of its name, and those of patterns. */
function memberSchemas(located: LocatedSchema, name: string): readonly LocatedSchema[] {
  const declared = schemaMap(located, 'properties').filter(([key]) => key === name)
  const patterns = schemaMap(located, 'patternProperties').filter(
    // Another rule reports invalid patterns.
    ([pattern]) => matchesPattern(pattern, name) !== false,
  )
  return [...declared, ...patterns].map(([, schema]) => schema)
}

/** Finds schemas each of whose values contains another value of the same schema, so that no value ends. */
function endlessValues({ contract }: LintSubject): readonly LintProblem[] {
  const schemas = schemasOf(contract)
  const open = new Map(schemas.map((located) => [located.pointer, requirements(located, contract)]))
  const ends = (located: LocatedSchema) => !open.has(located.pointer)
  // Inner schemas follow outer ones, so most are decided in the first round.
  for (let before = -1; before !== open.size; ) {
    before = open.size
    for (const [pointer, needed] of [...open].reverse()) {
      if (needed.every((choices) => choices.some(ends))) open.delete(pointer)
    }
  }
  const targets = new Set(
    schemas.flatMap((located) => target(contract, located)).map(({ pointer }) => pointer),
  )
  return [...open.keys()]
    .filter((pointer) => targets.has(pointer) && leadsToItself(pointer, open))
    .map((pointer) => ({
      pointer,
      message:
        'each value contains another value of this schema, without end: make a member optional, or allow null or an empty list',
    }))
}

/** What each value of a schema contains: of each list, a value of at least one schema. */
type Requirements = readonly (readonly LocatedSchema[])[]

function requirements(located: LocatedSchema, contract: Contract): Requirements {
  const { schema } = located
  if (!isObject(schema) || member(schema, 'nullable') === true) return []
  if (['const', 'enum'].some((keyword) => member(schema, keyword) !== undefined)) return []
  const all = [...target(contract, located), ...schemaList(located, 'allOf')]
  const choices = ['anyOf', 'oneOf'].map((keyword) => schemaList(located, keyword))
  return [
    ...all.map((each) => [each]),
    ...choices.filter((each) => each.length > 0),
    ...(isOnly(schema, 'object') ? requiredMembers(located, schema) : []),
    ...(isOnly(schema, 'array') ? requiredItems(located, schema) : []),
  ]
}

function isOnly(schema: JsonObject, type: string): boolean {
  const declared = [member(schema, 'type')].flat()
  return declared.length === 1 && declared[0] === type
}

function requiredMembers(located: LocatedSchema, schema: JsonObject): Requirements {
  return arrayMember(schema, 'required').flatMap((name) => {
    const declared = memberSchemas(located, String(name))
    const additional = schemaMember(located, 'additionalProperties')
    const found = declared.length > 0 || additional === undefined ? declared : [additional]
    return found.map((each) => [each])
  })
}

function requiredItems(located: LocatedSchema, schema: JsonObject): Requirements {
  const least = Number(member(schema, 'minItems') ?? 0)
  const tuple = schemaList(located, 'items').slice(0, least)
  const others = schemaMember(located, tupleKeywords(schema) ? 'additionalItems' : 'items')
  const contained = member(schema, 'minContains') === 0 ? undefined : schemaMember(located, 'contains')
  return [
    ...tuple,
    ...(others && tuple.length < least ? [others] : []),
    ...(contained ? [contained] : []),
  ].map((each) => [each])
}

/** Returns true if a schema leads to itself through a member or an item. Another rule reports other circles. */
function leadsToItself(start: string, open: ReadonlyMap<string, Requirements>): boolean {
  const seen = new Set<string>()
  const waiting: [pointer: string, isInside: boolean][] = [[start, false]]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [pointer, isInside] = next
    const key = `${isInside} ${pointer}`
    if (seen.has(key)) continue
    seen.add(key)
    for (const located of (open.get(pointer) ?? []).flat()) {
      const enters = isInside || isPart(pointer, located.pointer)
      if (enters && located.pointer === start) return true
      if (open.has(located.pointer)) waiting.push([located.pointer, enters])
    }
  }
  return false
}

/** Returns true for the schema of a member or an item, which is inside the schema of the whole value. */
function isPart(outer: string, inner: string): boolean {
  const keyword = inner.startsWith(`${outer}/`) ? inner.slice(outer.length + 1).split('/')[0] : undefined
  return keyword !== undefined && !['allOf', 'anyOf', 'oneOf'].includes(keyword)
}
