import { type Scenario, selectCases } from '../../../judge/index.js'

/** Returns the maximum number of requests that a round with these cases sends. */
export type CostOf = (sample: readonly Scenario[]) => Promise<number>

/** Chooses the cases of each round so that every case has its turn. */
export class Rotation {
  readonly #scenarios: readonly Scenario[]
  #queue: readonly Scenario[]
  #untaken: Set<Scenario>

  /** @param scenarios the cases, and those that they run after */
  constructor(scenarios: readonly Scenario[]) {
    this.#scenarios = scenarios
    this.#queue = spreadByGroup(scenarios)
    this.#untaken = new Set(scenarios)
  }

  /** True if every case has had a turn since the rotation began. */
  get isComplete(): boolean {
    return this.#untaken.size === 0
  }

  /** Begins another rotation. The order of the cases stays the same. */
  restart(): void {
    this.#untaken = new Set(this.#scenarios)
  }

  /**
   * Takes the cases of the next round: failing ones within half of the requests, so that their recovery is noticed
   * soon, then those that have waited longest. A case that needs more requests than are left waits for another
   * round, and so do the cases after it.
   * @param requests how many may be sent
   * @param failing ids of cases that fail, those that have waited longest first
   */
  async next(requests: number, failing: readonly string[], costOf: CostOf): Promise<readonly Scenario[]> {
    const again = failing.flatMap((id) => this.#scenarios.find((scenario) => scenario.id === id) ?? [])
    const repeated = await this.#fill([], again, requests / 2, costOf)
    const taken = await this.#fill(repeated, this.#queue, requests, costOf)
    const moved = taken.filter((scenario) => !repeated.includes(scenario))
    this.#queue = [...this.#queue.filter((scenario) => !moved.includes(scenario)), ...moved]
    for (const scenario of taken) this.#untaken.delete(scenario)
    return taken
  }

  /** Gives the cases of a round another turn in the next round. */
  putBack(sample: readonly Scenario[]): void {
    this.#queue = [...sample, ...this.#queue.filter((scenario) => !sample.includes(scenario))]
    for (const scenario of sample) this.#untaken.add(scenario)
  }

  async #fill(
    sample: readonly Scenario[],
    candidates: readonly Scenario[],
    requests: number,
    costOf: CostOf,
  ): Promise<readonly Scenario[]> {
    let filled = sample
    for (const candidate of candidates) {
      const more = [...filled, ...withDependencies(this.#scenarios, candidate)]
      const wider = this.#scenarios.filter((scenario) => more.includes(scenario))
      if ((await costOf(wider)) > requests) return filled
      filled = wider
    }
    return filled
  }
}

/** Returns a case and those that it runs after. */
export function withDependencies(scenarios: readonly Scenario[], { id }: Scenario): readonly Scenario[] {
  return selectCases(scenarios, { only: [], replay: id })
}

/** Orders cases so that each part of the list has cases of all groups, in proportion to their size. */
function spreadByGroup(scenarios: readonly Scenario[]): readonly Scenario[] {
  const sizes = new Map<string, number>()
  const places = scenarios.map(({ group }) => {
    const place = sizes.get(group) ?? 0
    sizes.set(group, place + 1)
    return place
  })
  return scenarios
    .map((scenario, index) => ({
      scenario,
      place: ((places[index] ?? 0) + 0.5) / (sizes.get(scenario.group) ?? 1),
    }))
    .toSorted((one, other) => one.place - other.place)
    .map(({ scenario }) => scenario)
}
