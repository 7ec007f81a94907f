import type { Scenario } from '../../scenario/scenario.js'

/** Cases that run in the same phase of a run. */
export interface Phase {
  readonly scenarios: readonly Scenario[]
  /** True when the cases run one at a time. */
  readonly isSerial: boolean
}

/** True for the ranks whose cases run one at a time. */
const SERIAL = [false, true, false, true, true, true] as const

/**
 * Groups cases into phases, each case after its dependencies (`after`) and otherwise in order. Hand-written
 * cases run before derived ones, so that a small budget covers them first. Cases that write follow, then laws, which judge
 * all answers before, then cases that spend the quota. A case with a dependency in a later phase moves to that phase.
 *
 * In each phase, cases that follow the head run first, one soon after the other: they share the answers about the head, and
 * are repeated if it has moved since.
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
    // Selection already rejects cycles. This entry makes the recursion terminate anyway.
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
  for (const scenario of scenarios.filter(({ followsHead }) => followsHead)) place(scenario)
  for (const scenario of scenarios) place(scenario)
  return phases.map((scenarios, rank) => ({ scenarios, isSerial: SERIAL[rank] ?? true }))
}

function ownRank({ effect, alone, origin, steps }: Scenario): number {
  if (effect === 'spends-quota') return 5
  if (steps.some(({ kind }) => kind === 'law')) return 4
  if (effect === 'write') return 3
  if (alone === true) return 1
  return origin === 'derived' ? 2 : 0
}
