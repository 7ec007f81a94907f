import { isObject } from '../../toolkit/contract/index.js'
import { ExchangeTrail, type MakeEvidence, type RecordedExchange } from '../record/evidence.js'
import { findingText } from '../record/finding-text.js'
import type { CaseResult, Head, Verdict } from '../report/index.js'
import { AccessRefused, Unreachable } from '../requests/contact.js'
import { type HeadReader, isSameHead } from '../requests/head-reader.js'
import { unsentBy } from '../requests/not-sent.js'
import type { SharedAnswers } from '../requests/shared-answers.js'
import type { Variables } from '../scenario/fill.js'
import type { Scenario } from '../scenario/scenario.js'
import { ScenarioRunError } from '../scenario/scenario-run-error.js'
import type { Exchange } from '../send/exchange.js'
import { replyView } from '../send/reply-view.js'
import { runDefaults } from '../terms/run-defaults.js'
import { CaseEnded } from './case-ended.js'
import type { CaseLock } from './case-lock.js'
import type { FindFixture, FixtureOutcome } from './fixture-finder.js'
import type { SkipReason } from './plan/skip-reasons.js'
import { runSteps, type StepsContext, type StepsOutcome } from './run-steps.js'

/** Context for running a case. */
export interface CaseContext {
  /** Returns the reason why a case cannot run; undefined if it can. */
  readonly skipReason: (scenario: Scenario) => SkipReason | undefined
  /** Result of a dependency; undefined for a case outside the run. */
  readonly resultOf: (id: string) => Promise<CaseResult | undefined>
  readonly lock: CaseLock
  /** True for names in `needs` that are facts about the run instead of fixtures. */
  readonly isFact: (name: string) => boolean
  readonly findFixture: FindFixture
  readonly head: HeadReader
  /** Waits until the target answers again, or until sending is no longer allowed. */
  readonly untilAnswered: () => Promise<void>
  /** Variables of a case before its fixtures. */
  readonly variablesOf: (scenario: Scenario) => Variables
  readonly steps: Omit<StepsContext, 'trail' | 'owner' | 'rules' | 'shared'> & {
    readonly shared: SharedAnswers
  }
  readonly evidence: MakeEvidence
}

/** Part of a case result that depends on the run. The rest comes from the scenario. */
interface Outcome
  extends Partial<
    Pick<CaseResult, 'cause' | 'deviations' | 'findings' | 'head' | 'lacks' | 'violated' | 'waitedFor'>
  > {
  readonly verdict: Verdict
  readonly reason?: string
  readonly exchanges?: readonly RecordedExchange[]
}

/**
 * Runs one case to its verdict. Errors within the case become verdicts.
 *
 * Other cases may have delayed a case that got no answer. A case that only reads is therefore repeated alone,
 * after the service answers again. Until then no other request is sent.
 *
 * @throws Unreachable if the first request reached no server
 * @throws AccessRefused if the first answer refused access
 */
export async function runCase(scenario: Scenario, context: CaseContext): Promise<CaseResult> {
  const before = await Promise.all(scenario.after.map(context.resultOf))
  const hold = await context.lock.acquireShared()
  const attempt = startAttempt()
  const inTurn: InTurn = async (time, run) => {
    if (time === 1 && !(scenario.followsHead && context.steps.shared.hasHeadMoved)) return run()
    hold.release()
    const turn = await context.lock.acquireExclusive()
    return run().finally(turn.release)
  }
  const outcome = await outcomeOf(scenario, before, context, attempt, inTurn).finally(hold.release)
  const first = caseResult(scenario, outcome, attempt, context)
  if (first.verdict !== 'no-answer') return first
  const alone = await context.lock.acquireExclusive()
  try {
    await context.untilAnswered()
    if (hold.isAlone || scenario.effect !== 'read') return first
    const again = startAttempt()
    const outcome = await outcomeOf(scenario, before, context, again, (_, run) => run())
    const second = caseResult(scenario, outcome, again, context)
    if (second.verdict === 'no-answer') await context.untilAnswered()
    return {
      ...second,
      billed: first.billed + second.billed,
      milliseconds: first.milliseconds + second.milliseconds,
    }
  } finally {
    alone.release()
  }
}

type FailedSteps = Extract<StepsOutcome, { kind: 'fail' }>

/** Requests of a case so far. */
interface Attempt {
  readonly started: number
  /** Exchanges of the latest attempt. */
  trail: ExchangeTrail
  /** Billed requests of earlier attempts. */
  billed: number
  /** Request ids of the latest attempt. */
  ids: number[]
}

/** Runs an attempt, counted from 1, when it may run. */
type InTurn = (time: number, run: () => Promise<StepsOutcome>) => Promise<StepsOutcome>

function startAttempt(): Attempt {
  return { started: performance.now(), trail: new ExchangeTrail(), billed: 0, ids: [] }
}

function caseResult(
  { id, group, scenario, rules, effect }: Scenario,
  {
    verdict,
    reason,
    cause,
    findings = [],
    violated,
    waitedFor,
    head,
    lacks,
    deviations = [],
    exchanges = [],
  }: Outcome,
  attempt: Attempt,
  context: CaseContext,
): CaseResult {
  return {
    ...{ id, group, scenario, rules, effect, verdict, reason, cause, findings },
    ...(violated && { violated }),
    ...(waitedFor !== undefined && { waitedFor }),
    evidence: exchanges.map(context.evidence),
    ids: attempt.ids,
    head,
    ...(lacks && { lacks }),
    ...(deviations.length > 0 && { deviations }),
    billed: attempt.billed + attempt.trail.billed,
    milliseconds: Math.round(performance.now() - attempt.started),
  }
}

/**
 * Runs the steps of a case if its conditions are met.
 *
 * A comparison that fails while the head moves proves nothing, so a case that follows the head is retried in the same
 * form. A case whose answers prove nothing is retried, too. Cached answers about an older head do not fail a case
 * either. If the head has just moved, the case fails only if it fails again after these answers have expired. A failure
 * with a shared answer is also retried, because something else than the head may have changed since that answer. It
 * stands if the retry passes, gets the same answer again, and the head did not move. Retries send every request
 * themselves. After the head has moved, comparisons with it run one at a time, because each then takes less time.
 */
async function outcomeOf(
  scenario: Scenario,
  before: readonly (CaseResult | undefined)[],
  context: CaseContext,
  attempt: Attempt,
  inTurn: InTurn,
): Promise<Outcome> {
  const { followsHead } = scenario
  try {
    const skipReason = context.skipReason(scenario) ?? dependencySkip(scenario, before)
    if (skipReason !== undefined) return skipReason
    const known = new Map(context.variablesOf(scenario))
    let foundAt: number | undefined
    for (const name of scenario.needs.filter((need) => !context.isFact(need))) {
      const fixture = await context.findFixture(name)
      if (fixture.kind !== 'found') return outcomeOfFixture(fixture)
      for (const [variable, value] of fixture.captures) known.set(variable, value)
      foundAt = Math.min(foundAt ?? fixture.at, fixture.at)
    }
    let doubted: Doubted | undefined
    let hasFailedBefore = false
    for (let time = 1; ; time++) {
      const isLast = time === runDefaults.attemptsUnderMovingHead
      const outcome = await inTurn(time, () =>
        runSteps(scenario.steps, known, stepsContext(scenario, context, attempt, time)),
      ).catch((error: unknown) => {
        if (followsHead && !isLast && error instanceof CaseEnded && error.verdict === 'inconclusive')
          return undefined
        throw error
      })
      if (outcome === undefined) continue
      if (outcome.kind !== 'fail') {
        if (outcome.kind === 'skip' || doubted === undefined || !isConfirmed(doubted, attempt))
          return ended(outcome, attempt)
        const { heads, isFresh } = await headsAround(doubted.exchanges, true, context)
        if (isFresh || heads === undefined || !isSameHead(heads.before, heads.after))
          return ended(outcome, attempt)
        attempt.ids = doubted.ids
        return failed(doubted.outcome, doubted.exchanges, heads)
      }
      const { exchanges } = attempt.trail
      const isAboutHead = followsHead && !outcome.breaksContract
      if (isAboutHead && time === 1 && exchanges.some(({ isShared }) => isShared)) {
        doubted = { outcome, exchanges, ids: attempt.ids }
        await context.head.read()
        continue
      }
      const { heads, isFresh } = await headsAround(exchanges, isAboutHead, context)
      const dropped = isAnsweredWithError(outcome) ? blocksSince(foundAt, heads, context) : undefined
      if (dropped !== undefined) return stateDropped(outcome, attempt, dropped)
      const isStill = heads === undefined || isSameHead(heads.before, heads.after)
      if (!isAboutHead || (isStill && (!isFresh || hasFailedBefore || isLast)))
        return failed(outcome, exchanges, heads)
      if (isLast && heads !== undefined) return undecided(outcome, attempt, heads, time)
      hasFailedBefore = true
    }
  } catch (error) {
    if (error instanceof Unreachable || error instanceof AccessRefused) throw error
    return { ...outcomeOfError(error), exchanges: attempt.trail.exchanges }
  }
}

function outcomeOfError(error: unknown): Outcome {
  if (error instanceof CaseEnded) {
    const { verdict, message: reason, sharedCause: cause } = error
    return { verdict, reason, cause }
  }
  const unsent = unsentBy(error)
  if (unsent !== undefined) return unsent
  if (error instanceof ScenarioRunError) return { verdict: 'harness-error', reason: error.message }
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  return { verdict: 'harness-error', reason: `a defect of the runner or of its functions: ${text}` }
}

function dependencySkip(
  { after }: Scenario,
  before: readonly (CaseResult | undefined)[],
): SkipReason | undefined {
  const at = before.findIndex((result) => result?.verdict !== 'pass' && result?.verdict !== 'tolerated')
  if (at < 0) return undefined
  const { verdict = 'not run', reason: why = '', cause } = before[at] ?? {}
  if (verdict === 'gave-up') return { verdict, reason: why, cause, waitedFor: after[at] }
  const reason = `${after[at]}, which must run before it, did not pass (${verdict})`
  return { verdict: 'not-run', reason, waitedFor: after[at] }
}

function outcomeOfFixture(fixture: Exclude<FixtureOutcome, { kind: 'found' }>): Outcome {
  const { kind: verdict, ...rest } = fixture
  return { verdict, ...rest }
}

/** A failure of a comparison in which another case had received an answer. */
interface Doubted {
  readonly outcome: FailedSteps
  readonly exchanges: readonly RecordedExchange[]
  readonly ids: number[]
}

/**
 * True if the failed step was compared with answers of other steps, and a retry got the same answers to these steps. Only
 * the answer of the failed step was wrong then.
 */
function isConfirmed({ outcome, exchanges }: Doubted, { trail }: Attempt): boolean {
  const shared = exchanges.filter(({ isShared }) => isShared)
  const isOfOther = ({ step, form }: RecordedExchange) => step === outcome.step && form === undefined
  if (shared.some(isOfOther)) return false
  return shared
    .filter(({ step }) => step !== outcome.step)
    .every(({ step, exchange }) => {
      const again = trail.exchanges.findLast((one) => one.step === step)
      return again !== undefined && isSameAnswer(exchange, again.exchange)
    })
}

/** True for equal answers apart from their ids. */
function isSameAnswer(...exchanges: readonly [Exchange, Exchange]): boolean {
  const [one, other] = exchanges.map(({ reply }) => {
    const json = reply && replyView(reply).json
    return isObject(json) ? JSON.stringify({ ...json, id: null }) : undefined
  })
  return one !== undefined && one === other
}

/**
 * Returns the head before the first of some exchanges, and the head now.
 * @param isAboutHead true to wait until no earlier answer about the head is cached any more
 * @returns `isFresh` if the head is not known to be as old as a cached answer may be, so that the exchanges may have had
 *   answers about the head before
 */
async function headsAround(
  exchanges: readonly RecordedExchange[],
  isAboutHead: boolean,
  { head, steps }: CaseContext,
): Promise<{ readonly heads: CaseResult['head']; readonly isFresh: boolean }> {
  if (isAboutHead) await steps.pause(head.cachedMilliseconds)
  const after = await head.read()
  const first = Math.min(...exchanges.map(({ exchange }) => exchange.sentAt ?? 0))
  const before = head.before(first)
  const isFresh = before !== undefined && !isSameHead(before, head.before(first - head.cachedMilliseconds))
  return { heads: headsOf(before, after), isFresh }
}

/** Starts a new attempt and creates the context for its steps. */
function stepsContext(
  { rules, builtIn, effect, followsHead }: Scenario,
  { steps }: CaseContext,
  attempt: Attempt,
  time: number,
): StepsContext {
  attempt.billed += attempt.trail.billed
  attempt.trail = new ExchangeTrail()
  attempt.ids = []
  return {
    ...steps,
    shared: steps.shared.forAttempt(time, followsHead),
    nextId: () => {
      const id = steps.nextId()
      attempt.ids.push(id)
      return id
    },
    anyId: steps.nextId,
    onSharedId: (id) => attempt.ids.push(id),
    // Its requests change what the service knows, so they have a connection of their own.
    owner: { builtIn, effect, session: effect === 'write' ? steps.nextId() : undefined },
    rules,
    trail: attempt.trail,
  }
}

/** True if the service answered with an unexpected error. */
function isAnsweredWithError({ findings }: FailedSteps): boolean {
  return findings.some(({ where, got }) => where === '/error' || got.startsWith('error '))
}

/** Returns the heads between which a node may have dropped the state of a fixture; undefined after too few blocks. */
function blocksSince(
  foundAt: number | undefined,
  heads: CaseResult['head'],
  { head }: CaseContext,
): CaseResult['head'] {
  const before = foundAt === undefined ? undefined : head.before(foundAt)
  if (before === undefined || heads === undefined) return undefined
  const [then, now] = [before, heads.after].map(({ number }) => Number(number))
  const blocks = (now ?? 0) - (then ?? 0)
  return blocks >= runDefaults.blocksUntilStateIsDropped ? { before, after: heads.after } : undefined
}

function stateDropped(
  { findings }: FailedSteps,
  { trail: { exchanges } }: Attempt,
  head: NonNullable<CaseResult['head']>,
): Outcome {
  const reason = `the head moved from ${head.before.number} to ${head.after.number} since the fixtures of the case were found, so that a node may have dropped the state at their blocks`
  return { verdict: 'inconclusive', reason, findings, head, exchanges }
}

function undecided(
  { findings }: FailedSteps,
  { trail: { exchanges } }: Attempt,
  head: NonNullable<CaseResult['head']>,
  times: number,
): Outcome {
  const { before, after } = head
  const reason = `the head moved in each of ${times} attempts, the last time from ${before?.number} to ${after?.number}`
  return { verdict: 'inconclusive', reason, findings, head, exchanges }
}

function headsOf(before: Head | undefined, after: Head | undefined): CaseResult['head'] {
  return before === undefined || after === undefined ? undefined : { before, after }
}

/** Evidence of passed cases is kept too, so that another contract can judge it later. */
function ended(outcome: Exclude<StepsOutcome, { kind: 'fail' }>, { trail: { exchanges } }: Attempt): Outcome {
  if (outcome.kind === 'skip') return { verdict: 'not-applicable', reason: outcome.reason, exchanges }
  const { tolerated, deviations } = outcome
  if (tolerated.length === 0) return { verdict: 'pass', deviations, exchanges }
  return { verdict: 'tolerated', reason: [...new Set(tolerated)].join('; '), deviations, exchanges }
}

function failed(
  { step, findings, cause, violated }: FailedSteps,
  exchanges: readonly RecordedExchange[],
  head: CaseResult['head'],
): Outcome {
  const reason = `step ${step}: ${findingText(findings)}`
  return { verdict: 'fail', reason, cause, findings, violated, head, exchanges }
}
