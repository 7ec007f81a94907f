import type { JsonValue } from '../../toolkit/contract/index.js'
import { ExchangeTrail } from '../record/evidence.js'
import { findingText } from '../record/finding-text.js'
import { storedAnswers, Unjudged } from '../record/stored-answers.js'
import { type CaseResult, invariantGroup, type Report, type Verdict } from '../report/index.js'
import { isSameHead } from '../requests/head-reader.js'
import { CaseEnded } from '../run/case-ended.js'
import { facts } from '../run/plan/skip-reasons.js'
import { runSteps, type StepsContext, type StepsOutcome } from '../run/run-steps.js'
import type { Scenario } from '../scenario/scenario.js'
import { ScenarioRunError } from '../scenario/scenario-run-error.js'

/** New verdict of a stored case. */
export interface JudgedAgain {
  readonly id: string
  readonly before: Verdict
  /** New verdict; undefined if the case cannot be judged again. */
  readonly now: Verdict | undefined
  /** Reason for a verdict other than `pass`, or for a missing verdict. */
  readonly reason: string | undefined
  /** True when the scenarios no longer have the case. */
  readonly isGone?: boolean
}

/** Context for judging stored cases. */
export interface JudgeAgainContext {
  readonly fixtures: Report['fixtures']
  /** Variables of a case before its fixtures. */
  readonly variablesOf: (scenario: Scenario) => ReadonlyMap<string, JsonValue>
  readonly steps: Omit<StepsContext, 'trail' | 'owner' | 'rules' | 'send' | 'nextId'>
}

/** Verdicts of cases that did not run to completion. They have nothing to judge again. */
const UNTRIED: ReadonlySet<Verdict> = new Set(['not-run', 'gave-up', 'not-applicable', 'harness-error'])

/** Judges the stored answers of a case by the current scenario. */
export async function judgeAgain(
  stored: CaseResult,
  scenario: Scenario | undefined,
  context: JudgeAgainContext,
): Promise<JudgedAgain> {
  const { id, verdict: before } = stored
  const unjudged = (reason: string): JudgedAgain => ({ id, before, now: undefined, reason })
  if (stored.group === invariantGroup)
    return unjudged('it needs answers, or times of answers, that the report does not contain')
  if (scenario === undefined) return { ...unjudged('the case no longer exists'), isGone: true }
  if (UNTRIED.has(before)) return unjudged(`it was not completed: ${stored.reason ?? before}`)
  const known = knownTo(scenario, context)
  if (typeof known === 'string') return unjudged(known)
  try {
    const outcome = await rerun(stored, scenario, known, context)
    const now = verdictOf(outcome, stored, scenario)
    return { id, before, ...now }
  } catch (error) {
    if (error instanceof Unjudged || error instanceof ScenarioRunError) return unjudged(error.message)
    if (error instanceof CaseEnded) return endedAgain(stored, error)
    throw error
  }
}

/**
 * Keeps the verdict from the list of known failures for a missing answer, since that list is not applied
 * again.
 */
function endedAgain(
  { id, verdict: before, reason }: CaseResult,
  { verdict, message }: CaseEnded,
): JudgedAgain {
  const isKnown = before === 'known-fail' && verdict === 'no-answer'
  return isKnown ? { id, before, now: before, reason } : { id, before, now: verdict, reason: message }
}

/** Returns the variables of a case, or the reason why they are unknown. */
function knownTo(
  scenario: Scenario,
  { fixtures, variablesOf }: JudgeAgainContext,
): ReadonlyMap<string, JsonValue> | string {
  const known = new Map(variablesOf(scenario))
  for (const name of scenario.needs) {
    if (Object.hasOwn(facts, name)) continue
    const found = Object.hasOwn(fixtures, name) ? fixtures[name] : undefined
    if (found === undefined) return `the report does not contain the value of "${name}"`
    for (const [variable, value] of Object.entries(found)) known.set(variable, value)
  }
  return known
}

async function rerun(
  stored: CaseResult,
  { steps, rules, builtIn, effect }: Scenario,
  known: ReadonlyMap<string, JsonValue>,
  context: JudgeAgainContext,
): Promise<StepsOutcome> {
  const ids = stored.ids.values()
  const nextId = () => {
    const next = ids.next()
    if (next.done) throw new Unjudged('it now sends more requests than the report contains')
    return next.value
  }
  const send = storedAnswers(stored.evidence)
  const owner = { builtIn, effect }
  return runSteps(steps, known, { ...context.steps, send, nextId, owner, rules, trail: new ExchangeTrail() })
}

function verdictOf(
  outcome: StepsOutcome,
  stored: CaseResult,
  { followsHead }: Scenario,
): Pick<JudgedAgain, 'now' | 'reason'> {
  if (outcome.kind === 'skip') return { now: 'not-applicable', reason: outcome.reason }
  if (outcome.kind === 'pass') {
    // The list of known failures is not applied again, so its verdict stays.
    if (stored.verdict === 'stale') return { now: 'stale', reason: stored.reason }
    if (outcome.tolerated.length === 0) return { now: 'pass', reason: undefined }
    return { now: 'tolerated', reason: [...new Set(outcome.tolerated)].join('; ') }
  }
  const reason = `step ${outcome.step}: ${findingText(outcome.findings)}`
  if (stored.verdict === 'known-fail') return { now: 'known-fail', reason: stored.reason }
  if (!followsHead || outcome.breaksContract || stored.verdict === 'fail') return { now: 'fail', reason }
  const { head } = stored
  if (head !== undefined && isSameHead(head.before, head.after)) return { now: 'fail', reason }
  const moved = head === undefined ? 'may have moved; the report does not show it' : 'moved'
  return { now: 'inconclusive', reason: `${reason}; the head ${moved}` }
}
