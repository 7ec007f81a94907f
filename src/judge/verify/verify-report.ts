import type { Contract, JsonValue } from '../../toolkit/contract/index.js'
import { createChecks } from '../checks/create-checks.js'
import { isRespelled } from '../forms/spellings.js'
import { LawAnswers } from '../laws/law-answers.js'
import { exploredScenarios } from '../load/explored-scenarios.js'
import { judgeHeaders } from '../oracles/every-answer.js'
import { createEvidenceMaker } from '../record/evidence.js'
import { type CaseResult, invariantGroup, type Report } from '../report/index.js'
import { variablesOfCases } from '../requests/network-answers.js'
import { judgeTolerances } from '../run/judge-tolerances.js'
import { runVariables } from '../run/plan/run-variables.js'
import type { ComputeFunction } from '../scenario/compute-function.js'
import type { Invariant, Invariants } from '../scenario/invariant.js'
import type { Scenario } from '../scenario/scenario.js'
import { sentSteps } from '../scenario/sent-steps.js'
import type { Exchange } from '../send/exchange.js'
import { createTarget } from '../send/target.js'
import { contractTerms } from '../terms/contract-terms.js'
import { isAboutHeaders } from '../traffic/stated-answers.js'
import { createTraffic } from '../traffic/traffic.js'
import { type JudgedAgain, judgeAgain } from './judge-again.js'
import { exchangeOf, Unjudged } from './stored-answers.js'

/** Options for judging a report again. */
export interface VerifyOptions {
  readonly contract: Contract
  readonly scenarios: readonly Scenario[]
  /** Statements about all answers. None by default. */
  readonly invariants?: Invariants | undefined
  readonly functions: Readonly<Record<string, ComputeFunction>>
  /** Variables of every scenario, in addition to those from the contract. */
  readonly variables: ReadonlyMap<string, JsonValue>
}

/** Result of judging a report again. */
export interface Verification {
  /** All cases of the report, in order. */
  readonly cases: readonly JudgedAgain[]
  /** Ids of cases that are missing from the report. */
  readonly added: readonly string[]
}

/** Names of the keys in scenarios. The report has a single URL for all of them. */
function keyNames(scenarios: readonly Scenario[]): readonly string[] {
  const keys = scenarios.flatMap(({ steps }) => sentSteps(steps)).map(({ key }) => key)
  return keys.filter((key) => typeof key === 'string')
}

/**
 * Creates a function that judges the stored answers of a case. Generated cases come from the report.
 * @throws TargetError if the contract lacks the report's network
 */
export function createJudge(
  report: Report,
  { contract, scenarios, functions, variables: given }: VerifyOptions,
): (result: CaseResult) => Promise<JudgedAgain> {
  const terms = contractTerms(contract)
  const { url, network, answers = {} } = report.target
  const { networks, paths } = terms
  const keyUrls = Object.fromEntries(keyNames(scenarios).map((name) => [name, url]))
  const target = createTarget({ url, keyUrls, network, networks, paths })
  const lawAnswers = new LawAnswers(contract)
  for (const evidence of report.cases.flatMap((result) => result.evidence)) {
    const exchange = storedExchange(evidence)
    if (exchange !== undefined) lawAnswers.see(exchange)
  }
  const steps = {
    lawAnswers,
    target,
    subscriptions: target.transport !== 'http' ? terms.connectionMethods.subscriptions : undefined,
    checks: createChecks(contract),
    functions,
    limitErrors: terms.limitErrors,
    redact: (text: string) => text,
    pause: async () => {},
  }
  const started = new Date(report.started)
  const variables = runVariables({ contract: terms.variables(network), started, given })
  const variablesOf = variablesOfCases(terms, variables, answers)
  const generated = exploredScenarios({
    scenarios: report.cases.flatMap(({ generated }) => (generated === undefined ? [] : [generated.case])),
  })
  const byId = new Map([...scenarios, ...generated].map((scenario) => [scenario.id, scenario]))
  return (result) =>
    judgeAgain(result, byId.get(result.id), { fixtures: report.fixtures, variablesOf, steps })
}

/**
 * Judges the stored answers of a report by the given contract and scenarios, which may be newer. Sends no
 * requests.
 * @throws TargetError if the contract lacks the report's network
 */
export async function verifyReport(report: Report, options: VerifyOptions): Promise<Verification> {
  const { contract, scenarios } = options
  const judge = createJudge(report, options)
  const cases: JudgedAgain[] = []
  for (const result of report.cases) {
    cases.push(await judge(result))
  }
  const ofTraffic = judgeTraffic(report, options)
  for (const [at, { id, verdict: before, group }] of report.cases.entries()) {
    const now = group === invariantGroup ? ofTraffic.get(id) : undefined
    // The list of known failures is not applied again.
    if (now === undefined) continue
    const verdict = before === 'known-fail' && now.verdict === 'fail' ? before : now.verdict
    cases[at] = { id, before, now: verdict, reason: now.reason }
  }
  const judged = judgeHeaders(
    contract,
    judgeTolerances(
      report.cases.map((result, at) => ({ ...result, verdict: cases[at]?.now ?? result.verdict })),
      [...report.cases, ...ofTraffic.values()],
    ),
  )
  for (const [at, { verdict, reason }] of judged.entries()) {
    const again = cases[at]
    if (again?.now === undefined || again.now === verdict) continue
    // The list of known failures is not applied again.
    cases[at] = { ...again, now: again.before === 'known-fail' ? again.before : verdict, reason }
  }
  const had = new Set(report.cases.map(({ id }) => id))
  return { cases, added: scenarios.map(({ id }) => id).filter((id) => !had.has(id)) }
}

/**
 * Judges the stored answers of all cases by the invariants, and what all answers of the run stated in headers. Invariants
 * without an answer to judge are left out.
 */
function judgeTraffic(report: Report, options: VerifyOptions): ReadonlyMap<string, CaseResult> {
  const { contract, functions, invariants = { invariants: [], entities: [] } } = options
  const { variables, paths } = contractTerms(contract)
  const { url, network } = report.target
  const judged = (isWanted: (invariant: Invariant) => boolean) =>
    createTraffic({
      ...{ contract, functions, paths, url },
      invariants: { ...invariants, invariants: invariants.invariants.filter(isWanted) },
      variables: variables(network),
      checks: createChecks(contract),
      started: Date.parse(report.started),
    })
  const ofAnswers = judged((one) => !isAboutHeaders(one))
  for (const evidence of report.cases.flatMap((result) => result.evidence)) {
    const exchange = storedExchange(evidence)
    if (exchange !== undefined) ofAnswers.see(exchange)
  }
  const ofHeaders = judged(isAboutHeaders)
  for (const answer of report.stated ?? []) ofHeaders.seeAgain(answer)
  const makeEvidence = createEvidenceMaker({ redact: (text) => text, ownUrl: url, headers: {} })
  const results = [ofHeaders, ofAnswers].flatMap((traffic) => traffic.cases(makeEvidence, report.cases))
  return new Map(
    results.flatMap((result) => (result.verdict === 'not-applicable' ? [] : [[result.id, result]])),
  )
}

/** Returns undefined for an answer that the report does not contain as a whole. */
function storedExchange(evidence: CaseResult['evidence'][number]): Exchange | undefined {
  const { verb, url, headers, body } = evidence.request
  const outgoing = { verb, url, headers, body: Buffer.from(body), methods: undefined, billed: 1 }
  try {
    const exchange = exchangeOf(evidence, { ...outgoing, builtIn: false, effect: 'read' })
    return { ...exchange, isRespelled: isRespelled(evidence.form) }
  } catch (error) {
    if (error instanceof Unjudged) return undefined
    throw error
  }
}
