import { type Contract, isObject, member } from '../../toolkit/contract/index.js'
import { matchReply } from '../expect/match-reply.js'
import { type CaseResult, describe, type Finding } from '../report/index.js'
import { errorCodeOf } from '../send/limit-errors.js'
import type { AnswerRecord } from './answer/answer-record.js'
import { type AutomaticFinding, automaticFindings } from './answer/automatic-checks.js'
import { subscriptionFindings } from './answer/subscription-findings.js'
import { judgeHeaders, judgeSecrets } from './every-answer.js'
import { judgeTolerances } from './judge-tolerances.js'
import { type ComparedPair, comparePair, type ExchangePair, type PairContext } from './pairs/compare-pair.js'
import type { SecretLeaks } from './secret-leaks.js'

/*
 * All oracles, each a pure function from records to findings. None sends: a law about several calls (`laws/judge-law`)
 * yields the calls that it needs, and the run continues it with their answers.
 */

/** What every answer is held to: envelope, id, status, schema of the result, declared error, items of a subscription. */
export const contractOracles: readonly ((answer: AnswerRecord) => readonly AutomaticFinding[])[] = [
  automaticFindings,
  (answer) => {
    const { subscription } = answer.request.outgoing
    return subscription === undefined ? [] : subscriptionFindings(subscription, answer)
  },
]

/** What the step of a case states about its answer: the expectation, that parameters are accepted, the time. */
export const statedOracles: readonly ((answer: AnswerRecord) => readonly Finding[])[] = [
  ({ expect, view, checks }) => matchReply(expect, view, checks.schema),
  refusalFindings,
  timeFindings,
]

/** What differs between two recordings of one request (`concordat compare`). */
export const pairOracle: (pair: ExchangePair, context: PairContext) => ComparedPair = comparePair

/** The record of a run: the results of its cases and invariants, with their evidence. */
export interface RunRecord {
  readonly contract: Contract
  readonly cases: readonly CaseResult[]
  /** What the invariants, which have read all answers, found (`traffic/`). Charges are among them. */
  readonly invariants: readonly CaseResult[]
  /** True for an invariant that is reported as a result of its own. */
  readonly isReported: (invariant: CaseResult) => boolean
  /** Secrets in answers; undefined for a stored run, whose secrets are hidden. */
  readonly leaks?: Pick<SecretLeaks, 'of' | 'elsewhere'>
}

/** The oracles that judge all answers of a run together. Each changes verdicts, or adds results. */
const runOracles: readonly ((cases: readonly CaseResult[], run: RunRecord) => readonly CaseResult[])[] = [
  (cases, { invariants }) => judgeTolerances(cases, invariants),
  (cases, { invariants, isReported }) => [...cases, ...invariants.filter(isReported)],
  (cases, { contract }) => judgeHeaders(contract, cases),
  (cases, { contract, leaks }) => (leaks === undefined ? cases : judgeSecrets(contract, cases, leaks)),
]

/** Judges a run, live or stored. */
export function judgeRun(run: RunRecord): readonly CaseResult[] {
  return runOracles.reduce((cases, oracle) => oracle(cases, run), run.cases)
}

/** Finds a refusal of parameters that fit their schemas (JSON-RPC 2.0, section 5.1). */
function refusalFindings({
  expect: { accepted },
  request: { calls },
  view: { json },
  checks,
}: AnswerRecord): readonly Finding[] {
  const [call] = calls ?? []
  if (accepted !== true || call === undefined || errorCodeOf(json) !== checks.invalidParamsCode) return []
  if (!checks.takes(call.method, call.params)) return []
  const error = isObject(json) ? member(json, 'error') : undefined
  const expected = 'no refusal, because the parameters fit their schemas'
  return [{ where: '/error/code', expected, got: describe(error) }]
}

/** Finds an answer that came later than the step allows. */
function timeFindings({ expect: { within }, milliseconds }: AnswerRecord): readonly Finding[] {
  if (within === undefined || milliseconds <= within * 1000) return []
  const seconds = (milliseconds / 1000).toFixed(1)
  return [{ where: 'time', expected: `the complete answer within ${within} s`, got: `${seconds} s` }]
}
