import type { Contract, JsonValue } from '../../toolkit/contract/index.js'
import type { Checks } from '../checks/checks.js'
import { createChecks } from '../checks/create-checks.js'
import { isRespelled } from '../forms/spellings.js'
import { exploredScenarios } from '../load/explored-scenarios.js'
import { LawAnswers } from '../oracles/laws/law-answers.js'
import { judgeRun } from '../oracles/oracles.js'
import { createTraffic } from '../oracles/traffic/traffic.js'
import { createEvidenceMaker } from '../record/evidence.js'
import { exchangeOf, Unjudged } from '../record/stored-answers.js'
import { type CaseResult, invariantGroup, type Report } from '../report/index.js'
import { variablesOfCases } from '../requests/network-answers.js'
import { runVariables } from '../run/plan/run-variables.js'
import type { ComputeFunction } from '../scenario/compute-function.js'
import type { Invariants } from '../scenario/invariant.js'
import type { Scenario } from '../scenario/scenario.js'
import { sentSteps } from '../scenario/sent-steps.js'
import type { Exchange } from '../send/exchange.js'
import { createTarget } from '../send/target.js'
import { contractTerms } from '../terms/contract-terms.js'
import { type JudgedAgain, judgeAgain } from './judge-again.js'

/** Options for judging a report again. */
export interface VerifyOptions {
  readonly contract: Contract
  /** Those of the contract by default. */
  readonly checks?: Checks | undefined
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
  { contract, checks = createChecks(contract), scenarios, functions, variables: given }: VerifyOptions,
): (result: CaseResult) => Promise<JudgedAgain> {
  const terms = contractTerms(contract)
  const { url, network, answers = {} } = report.target
  const { networks, paths } = terms
  const keyUrls = Object.fromEntries(keyNames(scenarios).map((name) => [name, url]))
  const target = createTarget({ url, keyUrls, network, networks, paths })
  const lawAnswers = new LawAnswers(contract)
  for (const exchange of storedExchanges(report)) lawAnswers.see(exchange)
  const steps = {
    lawAnswers,
    target,
    subscriptions: target.transport !== 'http' ? terms.connectionMethods.subscriptions : undefined,
    checks,
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
  const ofTraffic = judgeTraffic(report, options)
  const cases: JudgedAgain[] = []
  for (const result of report.cases) {
    const { id, verdict: before, group } = result
    const again = group === invariantGroup ? ofTraffic.find((one) => one.id === id) : undefined
    cases.push(again ? { id, before, now: again.verdict, reason: again.reason } : await judge(result))
  }
  const judged = judgeRun({
    contract,
    cases: report.cases.map((result, at) => ({ ...result, verdict: cases[at]?.now ?? result.verdict })),
    invariants: [...report.cases, ...ofTraffic],
    isReported: () => false,
  })
  const had = new Set(report.cases.map(({ id }) => id))
  return {
    cases: cases.map((again, at) => settled(again, judged[at])),
    added: scenarios.map(({ id }) => id).filter((id) => !had.has(id)),
  }
}

/** The verdict of all oracles. The list of known failures is not applied again. */
function settled(again: JudgedAgain, judged: CaseResult | undefined): JudgedAgain {
  if (again.now === undefined || judged === undefined) return again
  const { verdict, reason } = judged
  const now = again.before === 'known-fail' && verdict === 'fail' ? again.before : verdict
  return { ...again, now, reason: verdict === again.now ? again.reason : reason }
}

/**
 * Judges the stored answers of all cases by the invariants, and what all answers of the run stated in headers. Invariants
 * without an answer to judge are left out.
 */
function judgeTraffic(report: Report, options: VerifyOptions): readonly CaseResult[] {
  const { contract, checks = createChecks(contract), functions } = options
  const { invariants = { invariants: [], entities: [] } } = options
  const { variables, paths } = contractTerms(contract)
  const { url, network } = report.target
  const traffic = createTraffic({
    ...{ contract, checks, functions, paths, url, invariants },
    variables: variables(network),
    started: Date.parse(report.started),
  })
  for (const exchange of storedExchanges(report)) traffic.seeStored(exchange)
  for (const answer of report.stated ?? []) traffic.seeAgain(answer)
  const makeEvidence = createEvidenceMaker({ redact: (text) => text, ownUrl: url, headers: {} })
  return traffic.cases(makeEvidence, report.cases).filter(({ verdict }) => verdict !== 'not-applicable')
}

/** The answers that the report contains as a whole. */
function storedExchanges({ cases }: Report): readonly Exchange[] {
  return cases.flatMap(({ evidence }) => evidence.flatMap((one) => storedExchange(one) ?? []))
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
