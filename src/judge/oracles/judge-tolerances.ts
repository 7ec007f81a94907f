import { type CaseResult, type Deviation, groupBy } from '../report/index.js'

/** Evidence against the stated cause of a deviation. */
const needed = {
  /** Answers that deviate, all by the same. */
  deviations: 3,
  /** Answers of other rules that could deviate for the same cause, and do not. */
  quiet: 5,
} as const

/** A deviation, or an answer without one, and its case. */
interface Observed extends Deviation {
  readonly result: CaseResult
}

/**
 * Fails cases whose tolerated deviations do not have their stated cause. Traffic, a moving head and replicas vary
 * during a run and affect answers about all rules. The service itself is at fault if all answers about one rule, or of
 * one case, deviate in the same way, and no answer about another rule does. It is also at fault if each answer of a
 * case deviates as a mistake would (`suspect`) and nothing else in the run shows the cause.
 * @param invariants results of the invariants of the run
 */
export function judgeTolerances(
  cases: readonly CaseResult[],
  invariants: readonly CaseResult[],
): readonly CaseResult[] {
  const all = cases.flatMap((result) =>
    (result.deviations ?? []).map((deviation): Observed => ({ ...deviation, result })),
  )
  const shown = new Set(invariants.flatMap(({ shows = [] }) => shows))
  return cases.map((result) => {
    if (result.verdict !== 'tolerated') return result
    const own = all.find((one) => one.result === result && one.by !== undefined)
    if (own === undefined) return result
    const suspects = shown.has(own.dependsOn) ? [] : suspectsLike(own, all)
    const [first] = suspects
    if (first !== undefined)
      return failed(
        result,
        first,
        `as in each such answer of this case (${suspects.length}), and in none about other rules`,
      )
    const constant = constantOf(own, all)
    return constant === undefined
      ? result
      : failed(result, own, `in all ${constant.length} answers about this rule, and in none about others`)
  })
}

/**
 * Returns the suspect answers of one run of a case. The list is empty if an answer is not suspect, or if an answer
 * about another rule shows their cause.
 */
function suspectsLike(own: Observed, all: readonly Observed[]): readonly Observed[] {
  const [rule] = own.result.rules
  const sameCause = all.filter(({ dependsOn }) => dependsOn === own.dependsOn)
  const others = sameCause.filter(({ result }) => result.rules[0] !== rule)
  if (others.some(({ by, isSuspect }) => by !== undefined && isSuspect !== true)) return []
  const ofCase = sameCause.filter(({ result }) => result === own.result)
  const runs = groupBy(ofCase, ({ run = 1 }) => String(run)).values()
  return [...runs].find((run) => run.every(({ isSuspect }) => isSuspect === true)) ?? []
}

/** Returns the answers that show that a deviation does not vary. */
function constantOf(own: Observed, all: readonly Observed[]): readonly Observed[] | undefined {
  const { rules, id } = own.result
  const [rule] = rules
  const sameCause = all.filter(({ dependsOn }) => dependsOn === own.dependsOn)
  const others = sameCause.filter(({ result }) => result.rules[0] !== rule)
  if (others.length < needed.quiet || others.some(({ by }) => by !== undefined)) return undefined
  const groups = [
    sameCause.filter(({ result }) => result.rules[0] === rule),
    sameCause.filter(({ result }) => result.id === id),
  ]
  return groups.find((group) => group.length >= needed.deviations && group.every(({ by }) => by === own.by))
}

function failed(result: CaseResult, { step, dependsOn, by = '' }: Observed, evidence: string): CaseResult {
  const where = `step ${step}`
  const expected = `no deviation, or one that varies, because it is tolerated for ${causeWords[dependsOn]}`
  const got = `${by}, ${evidence}`
  return {
    ...result,
    verdict: 'fail',
    reason: `${where}: expected ${expected}, got ${got}`,
    cause: `${result.rules[0]} deviation ${by}`,
    findings: [{ where, expected, got }],
  }
}

const causeWords: Readonly<Record<Deviation['dependsOn'], string>> = {
  traffic: 'requests of others',
  head: 'a moving head',
  replicas: 'several processes',
}
