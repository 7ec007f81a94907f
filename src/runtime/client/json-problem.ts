/**
 * Returns what JSON would lose or change in a value. That is a number that is not finite, a missing item of a list, a
 * function, or an object such as a Map, which JSON writes as `{}`. Undefined members are left out, as in the types.
 * @param given a value without cycles
 * @returns the part and its place, such as `NaN at /limits/0`
 */
export function jsonProblem(given: unknown, path = ''): string | undefined {
  const value = (given as Partial<Date>)?.toJSON?.() ?? given
  const isList = Array.isArray(value)
  if (value === null || isList || {}.toString.call(value) === '[object Object]') {
    for (const [name, member] of Object.entries(isList ? [...value] : (value ?? {}))) {
      const found = (isList || member !== undefined) && jsonProblem(member, `${path}/${name}`)
      if (found) return found
    }
  } else if (typeof value !== 'string' && typeof value !== 'boolean' && !Number.isFinite(value)) {
    return (typeof value === 'number' ? value : value?.constructor.name) + (path && ` at ${path}`)
  }
  return undefined
}
