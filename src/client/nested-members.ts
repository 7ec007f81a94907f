/** A value and the members that lead to it, the outermost first. */
type Placed = readonly [path: readonly string[], value: unknown]

/** Objects inside objects with every value at its place. Their members are their own, and nobody can change them. */
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
