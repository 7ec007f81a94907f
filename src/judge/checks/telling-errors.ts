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
    if (error.keyword === 'contains' || error.keyword === 'propertyNames') {
      kept.splice(innerStart(kept, error))
      kept.push(error)
      continue
    }
    if (error.keyword === 'anyOf' || error.keyword === 'oneOf') {
      kept.splice(innerStart(kept, error))
      kept.push(...nearest(error, errorsOf))
      continue
    }
    kept.push(error)
  }
  const isLast = (error: ErrorObject) => Number(consequences.has(error))
  const ordered = kept.toSorted((one, other) => isLast(one) - isLast(other))
  return ordered.filter(
    (error) => isOfType(error) || !kept.some((other) => isOfType(other) && areSiblings(error, other)),
  )
}

/** A type error makes the other errors of its schema meaningless. */
function isOfType({ keyword }: ErrorObject): boolean {
  return keyword === 'type'
}

function areSiblings(one: ErrorObject, other: ErrorObject): boolean {
  return one.parentSchema === other.parentSchema && one.instancePath === other.instancePath
}

/**
 * Returns the index of the first error that a composition's branches added. ajv reports them directly before
 * the composition.
 */
function innerStart(kept: readonly ErrorObject[], { instancePath, parentSchema }: ErrorObject): number {
  let start = kept.length
  while (start > 0) {
    const before = kept[start - 1]
    if (!before || before.parentSchema === parentSchema || !isWithin(before.instancePath, instancePath)) break
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
  const depth = Math.max(...errors.map(depthOf))
  // Branches that only require members differ in nothing else, so none of them is closer.
  return [reach(errors), -constants.length, depth, depth > 0 ? -errors.length : 0]
}

function depthOf({ instancePath }: ErrorObject): number {
  return instancePath.split('/').length - 1
}

/** Returns the depth of the first mistake. A mistake other than a wrong type counts one level deeper. */
function reach(errors: readonly ErrorObject[]): number {
  return Math.min(...errors.map((error) => depthOf(error) + Number(!isOfType(error))))
}

function compareRanks(one: readonly number[], other: readonly number[]): number {
  const at = one.findIndex((rank, index) => rank !== other[index])
  return at < 0 ? 0 : (one[at] ?? 0) - (other[at] ?? 0)
}
