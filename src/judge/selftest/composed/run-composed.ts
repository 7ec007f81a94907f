import { repetitionForms } from '../../forms/repetition-forms.js'
import { hasPassed } from '../../oracles/has-passed.js'
import { type CaseResult, compareReports, type Report } from '../../report/index.js'
import { inPool } from '../../run/in-pool.js'
import type { Scenario } from '../../scenario/scenario.js'
import { runWithDependencies } from '../run-selftest.js'
import { type FaultyRunOptions, selftestDefaults } from '../selftest-options.js'
import type { ComposedFault } from './compose-fault.js'

/** Options of a selftest with composed faults. */
export interface ComposedOptions extends FaultyRunOptions {
  readonly faults: readonly ComposedFault[]
  /** Called after each fault. */
  readonly onOutcome: (outcome: ComposedOutcome, done: number) => void
}

/** Outcome of a composed fault. */
export interface ComposedOutcome {
  readonly name: string
  /** Names of the simple fault and of the condition. */
  readonly of: string
  readonly condition: string
  readonly rule: string
  readonly description: string
  /**
   * `caught` if the run failed, `missed` if the fault changed an exchange and the run passed, and `never-exercised` if it
   * changed none.
   */
  readonly verdict: 'caught' | 'missed' | 'never-exercised'
  /** Id of the case or invariant that noticed the fault, or the lost fixture or rule; undefined if none did. */
  readonly by: string | undefined
  /** Number of exchanges that the fault changed. */
  readonly changes: number
}

/** Report of a selftest with composed faults. */
export interface ComposedReport {
  /** Version of the report format. */
  readonly schema: 'concordat-selftest-composed-report/1'
  readonly milliseconds: number
  readonly faults: readonly ComposedOutcome[]
  /** Cases that fail without a fault. They are left out. */
  readonly broken: readonly { readonly id: string; readonly reason: string }[]
}

/** Cases that run together, and their report without a fault. */
interface Stage {
  /** All cases, among which are those that must run before. */
  readonly all: readonly Scenario[]
  readonly scenarios: readonly Scenario[]
  readonly before: Report | undefined
}

/** Effects of cases, in the order in which they are tried. Cases that write change the chain for later ones. */
const effects = ['read', 'spends-quota', 'write'] as const

/**
 * Tries faults that show only under a condition. Each fault runs first against the cases about its rule, several times
 * in different forms, cases that write last. Then it runs against all cases that read, generated ones included. If
 * the fault has changed no exchange, these run again, several times. A fault is caught if a case or an invariant fails,
 * or if a fixture or a rule is missing that a run without the fault has. A run ends with its first failure.
 *
 * @throws SelftestTrouble if a fault or the service failed
 * @throws the reason of the signal after an abort
 */
export async function runComposed(options: ComposedOptions): Promise<ComposedReport> {
  const from = performance.now()
  const { scenarios, faults } = options
  const rules = new Set(faults.map(({ rule }) => rule))
  const stages = new Map<Scenario['effect'], Stage>()
  for (const effect of effects) {
    const own = scenarios.filter((one) => one.effect === effect)
    const about = own.filter((one) => one.rules.some((rule) => rules.has(rule)))
    const chosen = effect === 'read' ? own : withRepetitions(about, options)
    const all = [...new Set([...scenarios, ...chosen])]
    const run = await runWithDependencies(
      { ...options, scenarios: all, repeat: 1 },
      undefined,
      chosen,
      () => false,
    )
    const passed = new Set(run?.report.cases.filter(hasPassed).map(({ id }) => id))
    stages.set(effect, { all, scenarios: chosen.filter(({ id }) => passed.has(id)), before: run?.report })
  }
  const outcomes = new Map<string, ComposedOutcome>()
  const settle = (outcome: ComposedOutcome) => {
    outcomes.set(outcome.name, outcome)
    options.onOutcome(outcome, outcomes.size)
  }
  const trials = faults.map((fault) => new Trial(options, fault, stages))
  const isCaught = (trial: Trial) => trial.outcome().verdict === 'caught'
  const finish = async (trial: Trial) => {
    if (!isCaught(trial)) await trial.runAll()
    settle(trial.outcome())
  }
  const writing: Trial[] = []
  await inPool(trials, selftestDefaults.faultsAtOnce, async (trial) => {
    await trial.runAbout(['read', 'spends-quota'])
    if (isCaught(trial) || !trial.hasCases('write')) await finish(trial)
    else writing.push(trial)
  })
  for (const trial of writing) await trial.runAbout(['write'])
  await inPool(writing, selftestDefaults.faultsAtOnce, finish)
  // Only the given cases: their repetitions may fail although they pass, such as those of a case that spends a limit.
  const given = new Set(scenarios.map(({ id }) => id))
  const broken = [...stages.values()].flatMap(({ before }) =>
    (before?.cases ?? []).filter((result) => isFailure(result) && given.has(result.id)),
  )
  return {
    schema: 'concordat-selftest-composed-report/1',
    milliseconds: Math.round(performance.now() - from),
    faults: faults.flatMap(({ name }) => outcomes.get(name) ?? []),
    broken: broken.map(({ id, reason = '' }) => ({ id, reason })),
  }
}

/** Adds repetitions of cases that write or spend quota, as cases of their own: a run repeats only cases that read. */
function withRepetitions(
  scenarios: readonly Scenario[],
  { contract, repeat = 1 }: ComposedOptions,
): readonly Scenario[] {
  const inForm = repetitionForms(contract, { transport: 'http' })
  const times = Array.from({ length: repeat - 1 }, (_, at) => at + 2)
  return [
    ...scenarios,
    ...times.flatMap((time) =>
      scenarios.map((one) => ({
        ...inForm(one, time),
        id: `${one.id}/${time}`,
        after: [...one.after, one.id],
      })),
    ),
  ]
}

/** True when no composed fault was missed and no case fails without a fault. */
export function isComposedProven({ faults, broken }: ComposedReport): boolean {
  return broken.length === 0 && faults.every(({ verdict }) => verdict !== 'missed')
}

/** Trial of one composed fault. */
class Trial {
  readonly #options: ComposedOptions
  readonly #fault: ComposedFault
  readonly #stages: ReadonlyMap<Scenario['effect'], Stage>
  #changes = 0
  #by: string | undefined

  constructor(
    options: ComposedOptions,
    fault: ComposedFault,
    stages: ReadonlyMap<Scenario['effect'], Stage>,
  ) {
    this.#options = options
    this.#fault = fault
    this.#stages = stages
  }

  /** Runs the cases for the fault's rule with these effects until one of them fails. */
  async runAbout(kinds: readonly Scenario['effect'][]): Promise<void> {
    for (const effect of kinds) await this.#run(effect, this.#casesOf(effect), this.#options.repeat)
  }

  /** Runs all cases that read, then several times if the fault has changed no exchange until then. */
  async runAll(): Promise<void> {
    const all = this.#stages.get('read')?.scenarios ?? []
    await this.#run('read', all, 1)
    if (this.#changes === 0) await this.#run('read', all, this.#options.repeat)
  }

  /** True if cases with an effect are about the rule of the fault. */
  hasCases(effect: Scenario['effect']): boolean {
    return this.#casesOf(effect).length > 0
  }

  outcome(): ComposedOutcome {
    const { name, of, condition, rule, description } = this.#fault
    const verdict = this.#by === undefined ? (this.#changes === 0 ? 'never-exercised' : 'missed') : 'caught'
    return { name, of, condition, rule, description, verdict, by: this.#by, changes: this.#changes }
  }

  async #run(
    effect: Scenario['effect'],
    scenarios: readonly Scenario[],
    repeat: number | undefined,
  ): Promise<void> {
    const { before, scenarios: whole = [], all = [] } = this.#stages.get(effect) ?? {}
    if (this.#by !== undefined || before === undefined) return
    const options = { ...this.#options, scenarios: all, repeat, isUnshown: true }
    const run = await runWithDependencies(options, this.#fault, scenarios, isFailure)
    if (run === undefined) return
    this.#changes += run.changes
    // A fault that changed nothing is not the cause of a failure.
    if (run.changes > 0) this.#by = noticed(run.report, before, scenarios.length === whole.length)
  }

  #casesOf(effect: Scenario['effect']): readonly Scenario[] {
    const { scenarios = [] } = this.#stages.get(effect) ?? {}
    return scenarios.filter(({ rules }) => rules.includes(this.#fault.rule))
  }
}

function isFailure({ verdict }: CaseResult): boolean {
  return verdict === 'fail'
}

/** @param isWhole true if all cases ran; otherwise invariants judge fewer answers than without the fault */
function noticed(now: Report, before: Report, isWhole: boolean): string | undefined {
  const failed = now.cases.find(isFailure)
  if (failed !== undefined) return failed.id
  const { lostFixtures, lostRules } = compareReports(now, before)
  const [fixture] = lostFixtures
  if (fixture !== undefined) return `the lost fixture ${fixture}`
  const [rule] = lostRules
  return rule === undefined || !isWhole ? undefined : `the lost rule ${rule}`
}
