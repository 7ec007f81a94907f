import type { AnySchema, ErrorObject } from 'ajv'

/** The errors that a schema has of a value; none where it fits. */
export type ErrorsOf = (schema: AnySchema, data: unknown) => readonly ErrorObject[]

/**
 * The errors that say something. A composition is reported as the errors of its forms and then as itself: what stays
 * are the errors of the form that is nearest, or the composition where no form is. Of a condition its consequence stays, at the end: a
 * mistake in what decides the condition comes first.
 */
export function tellingErrors(errors: readonly ErrorObject[], errorsOf: ErrorsOf): readonly ErrorObject[] {
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

/** A value of another type breaks the rest of its schema as a matter of course. */
function isOfType({ keyword }: ErrorObject): boolean {
  return keyword === 'type'
}

function areSiblings(one: ErrorObject, other: ErrorObject): boolean {
  return one.parentSchema === other.parentSchema && one.instancePath === other.instancePath
}

/** Where the errors begin that the forms of a composition added, which ajv reports just before it. */
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
 * The errors of the form that a value was meant to have. It is the one that fits deepest into the value; of two alike
 * the one whose constants fit, such as the name of a kind, then the one with mistakes deeper inside or fewer of them.
 */
function nearest(composition: ErrorObject, errorsOf: ErrorsOf): readonly ErrorObject[] {
  const { data, instancePath } = composition
  const forms = (composition.schema as readonly AnySchema[]).map((form) =>
    tellingErrors(errorsOf(form, data), errorsOf),
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
  // Forms that only ask for members differ by these alone: none of them is nearer.
  return [reach(errors), -constants.length, depth, depth > 0 ? -errors.length : 0]
}

function depthOf({ instancePath }: ErrorObject): number {
  return instancePath.split('/').length - 1
}

/** How deep a value fits: to where its first mistake is, and one further where its type is right there. */
function reach(errors: readonly ErrorObject[]): number {
  return Math.min(...errors.map((error) => depthOf(error) + Number(!isOfType(error))))
}

function compareRanks(one: readonly number[], other: readonly number[]): number {
  const at = one.findIndex((rank, index) => rank !== other[index])
  return at < 0 ? 0 : (one[at] ?? 0) - (other[at] ?? 0)
}
