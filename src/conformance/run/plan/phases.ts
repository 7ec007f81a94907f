import type { Scenario } from '../../scenario/scenario.js'

/** Cases that run in the same part of a run. */
export interface Phase {
  readonly scenarios: readonly Scenario[]
  /** One case at a time, and nothing else meanwhile. */
  readonly isSerial: boolean
}

/** Whether cases of each rank run one by one. */
const SERIAL = [false, true, false, true, true] as const

/**
 * The cases by the part of the run that they are in, each after those that it names in `after`, in their order
 * otherwise. What was written to be tried comes before what was derived, so that a small budget goes to it; then what
 * writes, and last what spends the quota. A case that only reads, and runs after one that writes, runs with those.
 */
export function phasesOf(scenarios: readonly Scenario[]): readonly Phase[] {
  const byId = new Map(scenarios.map((scenario) => [scenario.id, scenario]))
  const dependencies = ({ after }: Scenario) =>
    after.map((id) => byId.get(id)).filter((found) => found !== undefined)
  const ranks = new Map<string, number>()
  const rankOf = (scenario: Scenario): number => {
    const known = ranks.get(scenario.id)
    if (known !== undefined) return known
    const own = ownRank(scenario)
    // Cases that wait for each other were refused when they were chosen; this ends the walk all the same.
    ranks.set(scenario.id, own)
    const latest = Math.max(own, ...dependencies(scenario).map(rankOf))
    ranks.set(scenario.id, latest)
    return latest
  }
  const placed = new Set<string>()
  const phases: readonly Scenario[][] = SERIAL.map(() => [])
  const place = (scenario: Scenario): void => {
    if (placed.has(scenario.id)) return
    placed.add(scenario.id)
    for (const before of dependencies(scenario)) place(before)
    phases[rankOf(scenario)]?.push(scenario)
  }
  for (const scenario of scenarios) place(scenario)
  return phases.map((scenarios, rank) => ({ scenarios, isSerial: SERIAL[rank] ?? true }))
}

function ownRank({ effect, alone, origin }: Scenario): number {
  if (effect === 'spends-quota') return 4
  if (effect === 'write') return 3
  if (alone === true) return 1
  return origin === 'derived' ? 2 : 0
}
