import type { CaseResult } from '../run/report.js'
import { selectCases } from '../run/select-cases.js'
import type { Scenario } from '../scenario/scenario.js'
import type { Fault } from './fault.js'
import { type ProxiedRun, runBehindProxy } from './run-behind-proxy.js'
import { type SelftestOptions, selftestDefaults } from './selftest-options.js'
import { type FaultOutcome, hasPassed, type SelftestReport } from './selftest-report.js'

/** Cases that claim the rule of a fault, by what they do: each kind is run for itself. */
interface Claims {
  readonly fault: Fault
  readonly reading: readonly Scenario[]
  readonly spending: readonly Scenario[]
  readonly writing: readonly Scenario[]
}

/** What becomes of the cases without any fault. */
type Baseline = ReadonlyMap<string, CaseResult>

/**
 * Tries the judge: each fault is put in front of a service that is right, and the cases that claim its rule must notice.
 * They are run without a fault first, since a case that never passes notices nothing. What writes is tried last and
 * alone, and only where nothing else noticed, for it moves the chain under the others.
 * @throws SelftestTrouble where the proxy or the service failed
 */
export async function runSelftest(options: SelftestOptions): Promise<SelftestReport> {
  const from = performance.now()
  const claims = options.faults.map((fault) => claimsOf(fault, options.scenarios))
  const outcomes = new Map<string, FaultOutcome>()
  const settle = (outcome: FaultOutcome) => {
    outcomes.set(outcome.name, outcome)
    options.onOutcome(outcome, outcomes.size)
  }
  const reading = await baselineOf(options, [union(claims, 'reading'), union(claims, 'spending')])
  const left: { readonly claim: Claims; readonly outcome: FaultOutcome }[] = []
  await inPool(claims, selftestDefaults.faultsAtOnce, async (claim) => {
    const outcome = await tried(options, claim, [claim.reading, claim.spending], reading)
    if (outcome.verdict === 'killed' || claim.writing.length === 0) settle(outcome)
    else left.push({ claim, outcome })
  })
  const writing = await baselineOf(options, [
    union(
      left.map(({ claim }) => claim),
      'writing',
    ),
  ])
  for (const { claim, outcome } of left) {
    const second = await tried(options, claim, [claim.writing], writing)
    settle(second.verdict === 'killed' ? second : bothSurvived(outcome, second))
  }
  const results = [...reading.values(), ...writing.values()]
  return {
    schema: 'concordat-selftest-report/1',
    milliseconds: Math.round(performance.now() - from),
    faults: options.faults.flatMap(({ name }) => outcomes.get(name) ?? []),
    broken: results.filter(isBroken).map(({ id, verdict, reason = '' }) => ({ id, verdict, reason })),
  }
}

/** What cannot be tried here is no defect; what fails without a fault is. */
function isBroken({ verdict }: CaseResult): boolean {
  return verdict === 'fail' || verdict === 'harness-error' || verdict === 'inconclusive'
}

function claimsOf(fault: Fault, scenarios: readonly Scenario[]): Claims {
  const claiming = scenarios.filter(({ rules }) => rules.includes(fault.rule))
  const of = (effect: Scenario['effect']) => claiming.filter((scenario) => scenario.effect === effect)
  return { fault, reading: of('read'), spending: of('spends-quota'), writing: of('write') }
}

/** Cases that several faults need, once each. */
function union(claims: readonly Claims[], kind: 'reading' | 'spending' | 'writing'): readonly Scenario[] {
  return [...new Set(claims.flatMap((claim) => claim[kind]))]
}

async function baselineOf(
  options: SelftestOptions,
  lists: readonly (readonly Scenario[])[],
): Promise<Baseline> {
  const results = new Map<string, CaseResult>()
  for (const { cases } of await runs(options, undefined, lists)) {
    for (const result of cases) results.set(result.id, result)
  }
  return results
}

async function runs(
  options: SelftestOptions,
  fault: Fault | undefined,
  lists: readonly (readonly Scenario[])[],
): Promise<readonly ProxiedRun[]> {
  const done: ProxiedRun[] = []
  for (const wanted of lists) {
    if (wanted.length === 0) continue
    // With the cases that they run after.
    const chosen = new Set(
      wanted.flatMap(({ id }) => selectCases(options.scenarios, { only: [], replay: id })),
    )
    const scenarios = options.scenarios.filter((scenario) => chosen.has(scenario))
    done.push(await runBehindProxy(options, fault, scenarios))
  }
  return done
}

async function tried(
  options: SelftestOptions,
  { fault }: Claims,
  lists: readonly (readonly Scenario[])[],
  baseline: Baseline,
): Promise<FaultOutcome> {
  const { name, rule, description } = fault
  const claiming = lists.flat().filter(({ id }) => {
    const before = baseline.get(id)
    return before !== undefined && hasPassed(before)
  })
  const done = await runs(options, fault, lists)
  const after = new Map(done.flatMap(({ cases }) => cases.map((result) => [result.id, result] as const)))
  const killers = claiming.flatMap(({ id }) => {
    const result = after.get(id)
    return result?.verdict === 'fail' ? [{ id, reason: result.reason ?? '' }] : []
  })
  const passed = claiming
    .map(({ id }) => id)
    .filter((id) => hasPassed(after.get(id) ?? { verdict: 'not-run' }))
  const changes = done.reduce((sum, run) => sum + run.changes, 0)
  const verdict = killers.length > 0 ? 'killed' : 'survived'
  const reason =
    verdict === 'killed' ? undefined : whySurvived(lists.flat().length, claiming.length, passed, changes)
  return { name, rule, description, verdict, killers, passed, reason }
}

/** A fault that neither what reads nor what writes noticed. */
function bothSurvived(first: FaultOutcome, second: FaultOutcome): FaultOutcome {
  const passed = [...first.passed, ...second.passed]
  return { ...second, passed, reason: first.passed.length > 0 ? first.reason : second.reason }
}

function whySurvived(claiming: number, usable: number, passed: readonly string[], changes: number): string {
  if (claiming === 0) return 'no case claims the rule'
  if (usable === 0) return 'no case that claims the rule passes without the fault'
  if (changes === 0) return 'no case that claims the rule sends what the fault changes'
  if (passed.length < usable) return 'cases that claim the rule came to no verdict with the fault'
  return 'every case that claims the rule passes with the fault'
}

/** Works on items in their order, several at a time; the first error ends it. */
async function inPool<Item>(
  items: readonly Item[],
  size: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const queue = items.values()
  const worker = async () => {
    for (const item of queue) await work(item)
  }
  await Promise.all(Array.from({ length: size }, worker))
}
