import type { AnySchema, ErrorObject } from 'ajv'

/** Returns the errors of a value, or an empty list if it is valid. */
export type ErrorsOf = (schema: AnySchema, data: unknown) => readonly ErrorObject[]

/**
 * Selects the most helpful errors. ajv reports a composition as the errors of its branches, then the
 * composition itself. Either the errors of the closest branch remain, or the composition's own. Errors of an
 * `if` consequence come last, because a mistake in the condition itself matters more.
 */
export function helpfulErrors(errors: readonly ErrorObject[], errorsOf: ErrorsOf): readonly ErrorObject[] {
  const kept: ErrorObject[] = []
  const consequences = new Set<ErrorObject>()
  for (const error of errors) {
    if (error.keyword === 'if') {
      const start = innerStart(kept, error)
      if (start === kept.length) kept.push(error)
      for (const inner of kept.slice(start)) consequences.add(inner)
      continue
    }
    if (isSummary(error)) kept.splice(innerStart(kept, error))
    kept.push(error)
  }
  const isLast = (error: ErrorObject) => Number(consequences.has(error))
  const ordered = kept.toSorted((one, other) => isLast(one) - isLast(other))
  // Errors of inner choices were removed above: explaining them, too, would double the work at each level of nesting.
  return withoutMistyped(ordered.flatMap((error) => (isChoice(error) ? nearest(error, errorsOf) : [error])))
}

function isChoice({ keyword }: ErrorObject): boolean {
  return keyword === 'anyOf' || keyword === 'oneOf'
}

/** True for an error that ajv reports after the errors of the subschemas that caused it. */
function isSummary(error: ErrorObject): boolean {
  return isChoice(error) || error.keyword === 'contains' || error.keyword === 'propertyNames'
}

/** Removes the other errors of a schema that has a type error: they mean nothing for a value of the wrong type. */
function withoutMistyped(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  const mistyped = new Map<ErrorObject['parentSchema'], Set<string>>()
  for (const { parentSchema, instancePath } of errors.filter(isOfType)) {
    const paths = mistyped.get(parentSchema) ?? new Set()
    mistyped.set(parentSchema, paths.add(instancePath))
  }
  return errors.filter(
    (error) => isOfType(error) || !mistyped.get(error.parentSchema)?.has(error.instancePath),
  )
}

function isOfType({ keyword }: ErrorObject): boolean {
  return keyword === 'type'
}

/**
 * Returns the index of the first error that a composition's branches added. ajv reports them directly before
 * the composition.
 */
function innerStart(kept: readonly ErrorObject[], { instancePath, parentSchema }: ErrorObject): number {
  let start = kept.length
  while (start > 0) {
    const before = kept[start - 1]
    if (!before || !isWithin(before.instancePath, instancePath)) break
    // Another keyword of the same schema. In a recursive schema, the schema is the same, but not the value.
    if (before.parentSchema === parentSchema && before.instancePath === instancePath) break
    start -= 1
  }
  return start
}

function isWithin(path: string, outer: string): boolean {
  return path === outer || path.startsWith(`${outer}/`)
}

/**
 * Returns the errors of the branch that the value was most likely meant for. Branches are ranked by: how deep
 * the value matches, matching constants such as a kind's name, depth of the mistakes, number of mistakes.
 */
function nearest(composition: ErrorObject, errorsOf: ErrorsOf): readonly ErrorObject[] {
  const { data, instancePath } = composition
  const forms = (composition.schema as readonly AnySchema[]).map((form) =>
    helpfulErrors(errorsOf(form, data), errorsOf),
  )
  if (forms.some((errors) => errors.length === 0)) return [composition]
  const isScalar = typeof data !== 'object' || data === null
  const ranked = forms
    .map((errors) => ({ errors, ranks: isScalar ? [reach(errors)] : ranksOf(errors) }))
    .toSorted((one, other) => compareRanks(other.ranks, one.ranks))
  const [best, second] = ranked
  if (best === undefined || best.ranks[0] === 0) return [composition]
  if (second !== undefined && compareRanks(best.ranks, second.ranks) === 0) return [composition]
  return best.errors.map((error) => ({ ...error, instancePath: `${instancePath}${error.instancePath}` }))
}

function ranksOf(errors: readonly ErrorObject[]): readonly number[] {
  const constants = errors.filter(({ keyword }) => keyword === 'const' || keyword === 'enum')
  const depth = errors.reduce((deepest, error) => Math.max(deepest, depthOf(error)), 0)
  // Branches that only require members differ in nothing else, so none of them is closer.
  return [reach(errors), -constants.length, depth, depth > 0 ? -errors.length : 0]
}

function depthOf({ instancePath }: ErrorObject): number {
  return instancePath.split('/').length - 1
}

/** Returns the depth of the first mistake. A mistake other than a wrong type counts one level deeper. */
function reach(errors: readonly ErrorObject[]): number {
  const depthWithin = (error: ErrorObject) => depthOf(error) + Number(!isOfType(error))
  return errors.reduce((least, error) => Math.min(least, depthWithin(error)), Number.POSITIVE_INFINITY)
}

function compareRanks(one: readonly number[], other: readonly number[]): number {
  const at = one.findIndex((rank, index) => rank !== other[index])
  return at < 0 ? 0 : (one[at] ?? 0) - (other[at] ?? 0)
}
