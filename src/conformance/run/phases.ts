import type { Effect, Scenario } from '../scenario/scenario.js'

/** The order in which effects are tried: what spends the quota comes last. */
const ORDER: readonly Effect[] = ['read', 'write', 'spends-quota']

/** From this phase on cases run one by one. */
const ALONE = ORDER.indexOf('write')

/**
 * The cases by the phase that they run in, each after those that it names in `after`, in their order otherwise. A case
 * that only reads, and runs after one that writes or may not share its time with others, runs with those that write.
 */
export function phasesOf(scenarios: readonly Scenario[]): ReadonlyMap<Effect, readonly Scenario[]> {
  const byId = new Map(scenarios.map((scenario) => [scenario.id, scenario]))
  const rank = new Map<string, number>()
  const rankOf = (scenario: Scenario): number => {
    const known = rank.get(scenario.id)
    if (known !== undefined) return known
    const own = Math.max(ORDER.indexOf(scenario.effect), scenario.alone ? ALONE : 0)
    // Cases that wait for each other were refused when they were chosen; this ends the walk all the same.
    rank.set(scenario.id, own)
    const before = scenario.after.map((id) => byId.get(id)).filter((found) => found !== undefined)
    const latest = Math.max(own, ...before.map(rankOf))
    rank.set(scenario.id, latest)
    return latest
  }
  const placed = new Set<string>()
  const phases = new Map<Effect, Scenario[]>(ORDER.map((effect) => [effect, []]))
  const place = (scenario: Scenario): void => {
    if (placed.has(scenario.id)) return
    placed.add(scenario.id)
    for (const id of scenario.after) {
      const before = byId.get(id)
      if (before !== undefined) place(before)
    }
    phases.get(ORDER[rankOf(scenario)] ?? 'read')?.push(scenario)
  }
  for (const scenario of scenarios) place(scenario)
  return phases
}
