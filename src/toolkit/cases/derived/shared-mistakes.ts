/** A mistake at one place of the parameters of a method. */
export interface PlacedMistake {
  readonly place: string
  /** Component schemas of the place. Places with equal ones are alike. A place without any is unique. */
  readonly components: string
  readonly mistake: string
}

/**
 * Selects mistakes so that similar places share them. Each mistake occurs at one of the similar places, and
 * each place has at least one mistake. A unique place keeps all its mistakes.
 * @param all the mistakes, place by place
 */
export function sharedMistakes<Found extends PlacedMistake>(all: readonly Found[]): readonly Found[] {
  const kindOf = ({ place, components }: Found) => components || `at ${place}`
  const chosen = new Set(groupsOf(all, kindOf).flatMap(shared))
  return all.filter((found) => chosen.has(found))
}

function shared<Found extends PlacedMistake>(alike: readonly Found[]): readonly Found[] {
  const chosen: Found[] = []
  const count = ({ place }: Found) => chosen.filter((found) => found.place === place).length
  for (const candidates of groupsOf(alike, ({ mistake }) => mistake)) {
    chosen.push(candidates.reduce((best, next) => (count(next) < count(best) ? next : best)))
  }
  for (const [at, candidates] of groupsOf(alike, ({ place }) => place).entries()) {
    const isTried = candidates.some((found) => chosen.includes(found))
    if (!isTried) chosen.push(...candidates.slice(at % candidates.length).slice(0, 1))
  }
  return chosen
}

function groupsOf<Item>(items: readonly Item[], keyOf: (item: Item) => string): readonly (readonly Item[])[] {
  const keys = [...new Set(items.map(keyOf))]
  return keys.map((key) => items.filter((item) => keyOf(item) === key))
}
