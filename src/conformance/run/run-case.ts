import type { JsonValue } from '../../contract/index.js'
import type { Variables } from '../scenario/fill.js'
import type { Scenario } from '../scenario/scenario.js'
import { ScenarioRunError } from '../scenario/scenario-run-error.js'
import { CaseEnded } from './case-ended.js'
import { AccessRefused, Unreachable } from './contact.js'
import { ExchangeTrail, type MakeEvidence, type RecordedExchange } from './evidence.js'
import { findingText } from './finding-text.js'
import type { FindFixture, FixtureOutcome } from './fixture-finder.js'
import { type HeadReader, isSameHead } from './head-reader.js'
import { notRunReason } from './not-run-reason.js'
import type { CaseResult, Head, Verdict } from './report.js'
import { runDefaults } from './run-defaults.js'
import { runSteps, type StepsContext, type StepsOutcome } from './run-steps.js'

/** What a case runs with. */
export interface CaseContext {
  /** Why the case cannot run here; undefined where it can. */
  readonly obstacle: (scenario: Scenario) => Obstacle | undefined
  /** What became of cases that ran before. */
  readonly resultOf: (id: string) => Promise<CaseResult | undefined>
  /** Names in `needs` that are facts about the run and no fixtures. */
  readonly isFact: (name: string) => boolean
  readonly findFixture: FindFixture
  readonly head: HeadReader
  /** Waits until the target answers again; ends where nothing more may be sent. */
  readonly untilAnswered: () => Promise<void>
  /** What a case knows before its fixtures. */
  readonly variablesOf: (scenario: Scenario) => Variables
  readonly steps: Omit<StepsContext, 'trail' | 'owner' | 'rules'>
  readonly evidence: MakeEvidence
}

/** Why a case does not run. */
export interface Obstacle {
  readonly verdict: 'not-applicable' | 'not-run'
  readonly reason: string
}

/** What differs from case to case in a result; the rest is taken from the scenario. */
interface Outcome extends Partial<Pick<CaseResult, 'cause' | 'findings' | 'head'>> {
  readonly verdict: Verdict
  readonly reason?: string
  readonly exchanges?: readonly RecordedExchange[]
}

/**
 * Runs one case to its verdict; whatever goes wrong within it becomes its verdict.
 * @throws Unreachable where nobody is there at all; AccessRefused where the very first answer refuses whoever asks
 */
export async function runCase(scenario: Scenario, context: CaseContext): Promise<CaseResult> {
  const started = performance.now()
  const attempt: Attempt = { trail: new ExchangeTrail(), billed: 0, ids: [] }
  const outcome = await outcomeOf(scenario, context, attempt).catch((error: unknown): Outcome => {
    if (error instanceof Unreachable || error instanceof AccessRefused) throw error
    return { ...outcomeOfError(error), exchanges: attempt.trail.exchanges }
  })
  const { id, group, scenario: text, rules, effect } = scenario
  const { verdict, reason, cause, findings = [], head, exchanges = [] } = outcome
  return {
    id,
    group,
    scenario: text,
    rules,
    effect,
    verdict,
    reason,
    cause,
    findings,
    evidence: exchanges.map(context.evidence),
    ids: attempt.ids,
    head,
    billed: attempt.billed + attempt.trail.billed,
    milliseconds: Math.round(performance.now() - started),
  }
}

function outcomeOfError(error: unknown): Outcome {
  if (error instanceof CaseEnded) {
    const { verdict, message: reason, sharedCause: cause } = error
    return { verdict, reason, cause }
  }
  const reason = notRunReason(error)
  if (reason !== undefined) return { verdict: 'not-run', reason }
  if (error instanceof ScenarioRunError) return { verdict: 'harness-error', reason: error.message }
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  return { verdict: 'harness-error', reason: `a defect of the runner or of what it computes with: ${text}` }
}

/** The exchanges of the attempt that runs, and what those before it cost. */
interface Attempt {
  trail: ExchangeTrail
  billed: number
  /** Ids that were chosen for its requests. */
  ids: number[]
}

async function outcomeOf(scenario: Scenario, context: CaseContext, attempt: Attempt): Promise<Outcome> {
  const obstacle = context.obstacle(scenario) ?? (await dependencyObstacle(scenario, context))
  if (obstacle !== undefined) return obstacle
  const known = new Map(context.variablesOf(scenario))
  for (const name of scenario.needs.filter((need) => !context.isFact(need))) {
    const fixture = await context.findFixture(name)
    if (fixture.kind !== 'found') return outcomeOfFixture(fixture)
    for (const [variable, value] of fixture.captures) known.set(variable, value)
  }
  return scenario.followsHead
    ? underMovingHead(scenario, known, context, attempt)
    : once(scenario, known, context, attempt)
}

async function dependencyObstacle(
  { after }: Scenario,
  { resultOf }: CaseContext,
): Promise<Obstacle | undefined> {
  for (const id of after) {
    const result = await resultOf(id)
    if (result?.verdict !== 'pass' && result?.verdict !== 'tolerated') {
      return {
        verdict: 'not-run',
        reason: `${id}, which comes before it, did not pass (${result?.verdict ?? 'not run'})`,
      }
    }
  }
  return undefined
}

function outcomeOfFixture(fixture: Exclude<FixtureOutcome, { kind: 'found' }>): Outcome {
  const { kind: verdict, ...rest } = fixture
  return { verdict, ...rest }
}

async function once(
  scenario: Scenario,
  known: ReadonlyMap<string, JsonValue>,
  context: CaseContext,
  attempt: Attempt,
): Promise<Outcome> {
  const before = context.head.last()
  const outcome = await runScenario(scenario, known, context, attempt)
  if (outcome.kind !== 'fail') return ended(outcome, attempt)
  const after = await context.head.read()
  return failed(outcome, attempt, headsOf(before, after))
}

/**
 * A comparison that fails while the head moves proves nothing: it is tried again. So is one with an answer that another
 * case got, which the head may have left behind since; from the second attempt on everything is asked anew.
 */
async function underMovingHead(
  scenario: Scenario,
  known: ReadonlyMap<string, JsonValue>,
  context: CaseContext,
  attempt: Attempt,
): Promise<Outcome> {
  for (let time = 1; ; time++) {
    // Where the head is the one that was read before anything else ran, it did not move during the case, either.
    const before = (time === 1 ? context.head.last() : undefined) ?? (await context.head.read())
    const outcome = await runScenario(scenario, known, time === 1 ? context : askingAnew(context), attempt)
    if (outcome.kind !== 'fail') return ended(outcome, attempt)
    if (!outcome.breaksContract && attempt.trail.exchanges.some(({ isShared }) => isShared === true)) continue
    const after = await context.head.read()
    const heads = headsOf(before, after)
    if (outcome.breaksContract || heads === undefined || isSameHead(before, after)) {
      return failed(outcome, attempt, heads)
    }
    if (time === runDefaults.attemptsUnderMovingHead) {
      const { findings } = outcome
      const reason = `the head moved in each of ${time} attempts, the last time from ${before?.number} to ${after?.number}`
      return { verdict: 'inconclusive', reason, findings, head: heads, exchanges: attempt.trail.exchanges }
    }
  }
}

function askingAnew(context: CaseContext): CaseContext {
  return { ...context, steps: { ...context.steps, shared: undefined } }
}

function runScenario(
  { steps, rules, builtIn, effect }: Scenario,
  known: ReadonlyMap<string, JsonValue>,
  context: CaseContext,
  attempt: Attempt,
): Promise<StepsOutcome> {
  attempt.billed += attempt.trail.billed
  attempt.trail = new ExchangeTrail()
  attempt.ids = []
  const nextId = () => {
    const id = context.steps.nextId()
    attempt.ids.push(id)
    return id
  }
  const owner = { builtIn, effect }
  const onSharedId = (id: number) => attempt.ids.push(id)
  return runSteps(steps, known, { ...context.steps, nextId, onSharedId, owner, rules, trail: attempt.trail })
}

function headsOf(before: Head | undefined, after: Head | undefined): CaseResult['head'] {
  return before === undefined || after === undefined ? undefined : { before, after }
}

/** The answers are kept of what passed, too: they can be judged again by another contract. */
function ended(outcome: Exclude<StepsOutcome, { kind: 'fail' }>, { trail: { exchanges } }: Attempt): Outcome {
  if (outcome.kind === 'skip') return { verdict: 'not-applicable', reason: outcome.reason, exchanges }
  const { tolerated } = outcome
  if (tolerated.length === 0) return { verdict: 'pass', exchanges }
  return { verdict: 'tolerated', reason: [...new Set(tolerated)].join('; '), exchanges }
}

function failed(
  { step, findings, cause }: Extract<StepsOutcome, { kind: 'fail' }>,
  { trail }: Attempt,
  head: CaseResult['head'],
): Outcome {
  const reason = `step ${step}: ${findingText(findings)}`
  return { verdict: 'fail', reason, cause, findings, head, exchanges: trail.exchanges }
}
