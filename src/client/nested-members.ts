/** A value and its path, the outermost member first. */
type Placed = readonly [path: readonly string[], value: unknown]

/** Builds frozen nested objects with every value at its path. */
export function nestedMembers(placed: readonly Placed[]): object {
  const byKey = new Map<string, Placed[]>()
  for (const [[key = '', ...rest], value] of placed) {
    byKey.set(key, [...(byKey.get(key) ?? []), [rest, value]])
  }
  const members = [...byKey].map(([key, inside]) => {
    const [first] = inside
    return [key, first?.[0].length === 0 ? first[1] : nestedMembers(inside)]
  })
  return Object.freeze(Object.fromEntries(members))
}
