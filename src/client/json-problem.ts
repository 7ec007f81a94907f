/**
 * Returns what JSON would lose or change in a value: a number that is not finite, a missing item of a list, a function, or
 * a collection such as a Map, which JSON writes as `{}`. A member that is undefined is left out, as in the types.
 * @param given a value without cycles
 * @returns the part and its place, such as `NaN at /limits/0`
 */
export function jsonProblem(given: unknown, path = ''): string | undefined {
  const value = (given as Partial<Date>)?.toJSON?.() ?? given
  const isList = Array.isArray(value)
  if (typeof value === 'object' && (isList || !value || !(Symbol.iterator in value))) {
    for (const [name, member] of Object.entries(isList ? [...value] : (value ?? {}))) {
      const found = isList || member !== undefined ? jsonProblem(member, `${path}/${name}`) : undefined
      if (found) return found
    }
  } else if (typeof value !== 'string' && typeof value !== 'boolean' && !Number.isFinite(value)) {
    const what = typeof value === 'number' ? value : value?.constructor.name
    return `${what}${path && ` at ${path}`}`
  }
  return undefined
}
