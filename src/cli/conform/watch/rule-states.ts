import type { CaseResult } from '../../../judge/report/index.js'

/** A rule that began or stopped failing. */
interface RuleChange {
  readonly rule: string
  /** The case whose result changed the state. */
  readonly case: string
  readonly state: 'failing' | 'recovered'
  readonly reason: string
}

/** Verdicts of a failing case. */
const FAILING = new Set(['fail', 'no-answer'])

/** Verdicts of a case that does not fail, or is known to. */
const FINE = new Set(['pass', 'tolerated', 'known-fail', 'stale'])

/**
 * The states of rules, in memory. A rule fails from the failure of one of its cases until all of its failing cases
 * pass. Other verdicts change nothing.
 */
export class RuleStates {
  /** The failing cases of each judged rule. */
  readonly #failing = new Map<string, Set<string>>()
  #failingCases: readonly string[] = []

  /** Judged rules, each with whether it fails. */
  get rules(): ReadonlyMap<string, boolean> {
    return new Map([...this.#failing].map(([rule, cases]) => [rule, cases.size > 0]))
  }

  /** Ids of the failing cases, those judged longest ago first. */
  get failingCases(): readonly string[] {
    return this.#failingCases
  }

  /** Updates the states with the results of a round and returns the changes. */
  update(results: readonly CaseResult[]): readonly RuleChange[] {
    return results.flatMap((result) => {
      const { id, verdict } = result
      const isFailing = FAILING.has(verdict)
      if (!isFailing && !FINE.has(verdict)) return []
      const others = this.#failingCases.filter((other) => other !== id)
      this.#failingCases = isFailing ? [...others, id] : others
      return this.#change(result, isFailing)
    })
  }

  /** A case without a rule stands for itself. */
  #change({ id, rules: [rule = id], reason }: CaseResult, isFailing: boolean): readonly RuleChange[] {
    const cases = this.#failing.get(rule) ?? new Set()
    this.#failing.set(rule, cases)
    const wasFailing = cases.size > 0
    if (isFailing) cases.add(id)
    else cases.delete(id)
    if (wasFailing === cases.size > 0) return []
    return isFailing
      ? [{ rule, case: id, state: 'failing', reason: reason ?? 'it failed' }]
      : [{ rule, case: id, state: 'recovered', reason: reason ?? 'it passes' }]
  }
}
