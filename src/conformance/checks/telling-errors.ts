import type { ErrorObject } from 'ajv'

/**
 * The errors that say something. A composition is reported as the errors of its forms and then as itself: what stays
 * are the errors deepest inside the form that was nearest, or that no form fits. Of a condition its consequence stays.
 */
export function tellingErrors(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  const kept: ErrorObject[] = []
  for (const error of errors) {
    if (error.keyword === 'if') {
      if (innerStart(kept, error) === kept.length) kept.push(error)
      continue
    }
    if (error.keyword === 'contains' || error.keyword === 'propertyNames') {
      kept.splice(innerStart(kept, error))
      kept.push(error)
      continue
    }
    if (error.keyword === 'anyOf' || error.keyword === 'oneOf') {
      const forms = kept.splice(innerStart(kept, error))
      kept.push(...nearest(error, forms))
      continue
    }
    kept.push(error)
  }
  return kept.filter(
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

/** The form of the value's own type is nearer than those of other types, and one that fits further inside than both. */
function nearest(composition: ErrorObject, forms: readonly ErrorObject[]): readonly ErrorObject[] {
  const depth = ({ instancePath }: ErrorObject) => instancePath.split('/').length
  const deepest = Math.max(depth(composition), ...forms.map(depth))
  const deep = forms.filter((error) => depth(error) === deepest)
  const fitting = deep.filter((error) => !isOfType(error))
  if (deepest > depth(composition)) return fitting.length > 0 ? fitting : deep
  return new Set(fitting.map(({ parentSchema }) => parentSchema)).size === 1 ? fitting : [composition]
}
