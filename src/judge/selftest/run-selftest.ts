import { hasPassed } from '../oracles/has-passed.js'
import { badVerdicts, type CaseResult, invariantGroup } from '../report/index.js'
import { inPool } from '../run/in-pool.js'
import { selectCases } from '../run/plan/select-cases.js'
import type { Scenario } from '../scenario/scenario.js'
import { contractTerms } from '../terms/contract-terms.js'
import type { Fault } from './fault.js'
import { type FaultyRun, runWithFault } from './run-with-fault.js'
import { type FaultyRunOptions, type SelftestOptions, selftestDefaults } from './selftest-options.js'
import type { FaultOutcome, SelftestReport } from './selftest-report.js'

/** Cases that claim the rule of a fault, by kind. Each kind is a separate run, in this order. */
interface Claims {
  readonly fault: Fault
  readonly written: readonly Scenario[]
  readonly derived: readonly Scenario[]
  readonly spending: readonly Scenario[]
  readonly writing: readonly Scenario[]
  /** Cases that claim other rules. They show what else the fault breaks. */
  readonly others: readonly Scenario[]
}

type Kind = Exclude<keyof Claims, 'fault'>

/** Results of the cases without a fault. */
type Baseline = Map<string, CaseResult>

/** Kinds that do not disturb other runs. Cases that write change the chain for other runs. */
const QUIET: readonly Kind[] = ['written', 'derived', 'spending']

/**
 * Tests the cases themselves. Each fault is applied to a correct service, and a case that claims the violated
 * rule must fail.
 *
 * The cases first run without a fault, since a case that never passes detects nothing. After a fault is
 * detected, its remaining cases are skipped unless a full run was requested. Cases that write run last, one
 * fault at a time.
 *
 * @throws SelftestTrouble if a fault or the service failed
 * @throws the reason of the signal after an abort
 */
export async function runSelftest(options: SelftestOptions): Promise<SelftestReport> {
  const from = performance.now()
  const claims = options.faults.map((fault) => claimsOf(fault, options))
  const baseline: Baseline = new Map()
  const outcomes = new Map<string, FaultOutcome>()
  const settle = (trial: Trial) => {
    const outcome = trial.outcome()
    outcomes.set(outcome.name, outcome)
    options.onOutcome(outcome, outcomes.size)
  }
  const left: Trial[] = []
  await addBaseline(options, claims, [...QUIET, 'others'], baseline)
  await inPool(claims, selftestDefaults.faultsAtOnce, async (claim) => {
    const trial = new Trial(options, claim, baseline)
    await trial.run(QUIET)
    await trial.runOthers()
    if (trial.isDone() || claim.writing.length === 0) settle(trial)
    else left.push(trial)
  })
  await addBaseline(
    options,
    left.map(({ claims }) => claims),
    ['writing'],
    baseline,
  )
  for (const trial of left) {
    await trial.run(['writing'])
    settle(trial)
  }
  const tried = options.faults.flatMap(({ name }) => outcomes.get(name) ?? [])
  return {
    schema: 'concordat-selftest-report/1',
    milliseconds: Math.round(performance.now() - from),
    faults: tried,
    broken: [...baseline.values()]
      .filter(isBroken)
      .map(({ id, verdict, reason = '' }) => ({ id, verdict, reason })),
    idle: options.isFull && options.isWhole ? idleCases(options, tried, baseline) : [],
  }
}

/** Hand-written cases that no fault makes fail, except those that cannot run here. */
function idleCases(
  { scenarios, unbreakable }: SelftestOptions,
  tried: readonly FaultOutcome[],
  baseline: Baseline,
): readonly string[] {
  const killers = new Set(tried.flatMap(({ killers }) => killers.map(({ id }) => id)))
  return scenarios.flatMap(({ id, origin, rules }) => {
    if (rules.some((rule) => unbreakable.has(rule))) return []
    const before = baseline.get(id)
    const isTried = before === undefined || hasPassed(before)
    return origin === 'file' && isTried && !killers.has(id) ? [id] : []
  })
}

/** A case that fails without a fault is defective. A case that cannot run here is not. */
function isBroken({ verdict }: CaseResult): boolean {
  return badVerdicts.has(verdict) || verdict === 'inconclusive'
}

function claimsOf(fault: Fault, { scenarios, isFull }: SelftestOptions): Claims {
  const claiming = scenarios.filter(({ rules }) => rules.includes(fault.rule))
  const reading = claiming.filter(({ effect }) => effect === 'read')
  const others = (isFull ? scenarios.filter(isQuiet) : smokeSet(scenarios)).filter(
    ({ rules }) => !rules.includes(fault.rule),
  )
  return {
    fault,
    written: reading.filter(({ origin }) => origin === 'file'),
    derived: reading.filter(({ origin }) => origin === 'derived'),
    spending: claiming.filter(({ effect }) => effect === 'spends-quota'),
    writing: claiming.filter(({ effect }) => effect === 'write'),
    others,
  }
}

function isQuiet({ origin, effect }: Scenario): boolean {
  return origin === 'file' && effect === 'read'
}

/**
 * First hand-written case without dependencies of each group. A few cases suffice to show what else a fault
 * breaks.
 */
function smokeSet(scenarios: readonly Scenario[]): readonly Scenario[] {
  const simple = scenarios.filter((scenario) => {
    const { needs, after, alone } = scenario
    return isQuiet(scenario) && needs.length === 0 && after.length === 0 && alone !== true
  })
  return simple.filter(({ group }, at) => simple.findIndex((other) => other.group === group) === at)
}

async function addBaseline(
  options: SelftestOptions,
  claims: readonly Claims[],
  kinds: readonly Kind[],
  baseline: Baseline,
): Promise<void> {
  for (const kind of kinds) {
    // Cases shared by several faults run once.
    const wanted = new Set(claims.flatMap((claim) => claim[kind]))
    const run = await runWithDependencies(options, undefined, [...wanted], () => false)
    for (const result of run?.report.cases ?? []) baseline.set(result.id, result)
  }
}

/** Runs cases together with their dependencies. Returns undefined without cases. */
export async function runWithDependencies(
  options: FaultyRunOptions,
  fault: Fault | undefined,
  wanted: readonly Scenario[],
  isEnough: (result: CaseResult) => boolean,
): Promise<FaultyRun | undefined> {
  if (wanted.length === 0) return undefined
  const chosen = new Set(wanted.flatMap(({ id }) => selectCases(options.scenarios, { only: [], replay: id })))
  const scenarios = options.scenarios.filter((scenario) => chosen.has(scenario))
  options.signal?.throwIfAborted()
  const run = await runWithFault(options, fault, scenarios, isEnough)
  // An aborted run proves nothing about the fault.
  options.signal?.throwIfAborted()
  return run
}

/** Trial of one fault against the cases that claim its rule. */
class Trial {
  readonly claims: Claims
  readonly #options: SelftestOptions
  readonly #baseline: Baseline
  /** Results of claiming cases that pass without the fault. */
  readonly #results: CaseResult[] = []
  /** Results of other cases that pass without the fault. */
  readonly #others: CaseResult[] = []
  /** Failures of claiming cases in runs in which the fault changed an exchange. */
  readonly #killers: CaseResult[] = []
  #changes = 0

  constructor(options: SelftestOptions, claims: Claims, baseline: Baseline) {
    this.#options = options
    this.claims = claims
    this.#baseline = baseline
  }

  /** Runs the kinds in order until the fault is detected. */
  async run(kinds: readonly Kind[]): Promise<void> {
    for (const kind of kinds) {
      if (this.isDone()) return
      const usable = this.claims[kind].filter(({ id }) => hasPassed(this.#baseline.get(id)))
      const ids = new Set(usable.map(({ id }) => id))
      const run = await runWithDependencies(
        this.#options,
        this.claims.fault,
        usable,
        (result) => !this.#options.isFull && ids.has(result.id) && isNotice(result),
      )
      const { report, changes = 0 } = run ?? {}
      const results = report?.cases.filter((result) => ids.has(result.id) || this.#isInvariant(result)) ?? []
      this.#results.push(...results)
      this.#changes += changes
      // A fault that changed nothing is not the cause of a failure.
      if (changes > 0) this.#killers.push(...results.filter(isNotice))
    }
  }

  /** An invariant of the rule judges all answers, whichever cases run. */
  #isInvariant({ group, rules, verdict }: CaseResult): boolean {
    return group === invariantGroup && verdict === 'fail' && rules.includes(this.claims.fault.rule)
  }

  /** Runs cases that claim other rules. */
  async runOthers(): Promise<void> {
    const usable = this.claims.others.filter(({ id }) => hasPassed(this.#baseline.get(id)))
    const ids = new Set(usable.map(({ id }) => id))
    const run = await runWithDependencies(this.#options, this.claims.fault, usable, () => false)
    this.#others.push(...(run?.report.cases ?? []).filter(({ id }) => ids.has(id)))
  }

  /** True when the fault was detected and no full run was requested. */
  isDone(): boolean {
    return !this.#options.isFull && this.#killers.length > 0
  }

  outcome(): FaultOutcome {
    const { name, rule, description } = this.claims.fault
    const summaryOf = ({ id, reason = '', findings }: CaseResult) => ({ id, reason, findings })
    const killers = this.#killers.map(summaryOf)
    const collateral = this.#others.filter(isNotice).map(summaryOf)
    const unaffected = this.#others.filter(hasPassed).map(({ id }) => id)
    const { text: ruleText = '' } =
      contractTerms(this.#options.contract).rules.find(({ id }) => id === rule) ?? {}
    const passed = this.#results.filter(hasPassed).map(({ id }) => id)
    const isKilled = killers.length > 0
    const reason = isKilled ? undefined : this.#whySurvived(passed.length)
    const verdict = isKilled ? 'killed' : 'survived'
    return { name, rule, ruleText, description, verdict, killers, passed, collateral, unaffected, reason }
  }

  #whySurvived(passed: number): string {
    const { written, derived, spending, writing } = this.claims
    const claiming = written.length + derived.length + spending.length + writing.length
    if (claiming === 0) return 'no case claims the rule'
    if (this.#results.length === 0) return 'no case that claims the rule passes without the fault'
    if (this.#results.some(isNotice))
      return 'cases that claim the rule fail although the fault changed nothing'
    if (this.#changes === 0) return 'no case that claims the rule sends what the fault changes'
    if (passed < this.#results.length) return 'cases that claim the rule had no verdict with the fault'
    return 'every case that claims the rule passes with the fault'
  }
}

/** True for a failure. A missing answer does not count, since a slow machine is the likelier cause. */
function isNotice({ verdict }: CaseResult): boolean {
  return verdict === 'fail'
}
