import type { Contract, JsonValue } from '../../contract/index.js'
import { createChecks } from '../checks/create-checks.js'
import { exploredScenarios } from '../explore/explored-scenarios.js'
import { judgeHeaders } from '../run/answer/every-answer.js'
import { variablesOfCases } from '../run/answer/network-answers.js'
import { contractTerms } from '../run/plan/contract-terms.js'
import { runVariables } from '../run/plan/run-variables.js'
import type { CaseResult, Report } from '../run/result/report.js'
import type { ComputeFunction } from '../run/run-steps.js'
import type { Scenario } from '../scenario/scenario.js'
import { sentSteps } from '../scenario/sent-steps.js'
import { createTarget } from '../send/target.js'
import { type JudgedAgain, judgeAgain } from './judge-again.js'

/** Options for judging a report again. */
export interface VerifyOptions {
  readonly contract: Contract
  readonly scenarios: readonly Scenario[]
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
  const steps = {
    target,
    subscriptions: target.isWebSocket ? terms.connectionMethods.subscriptions : undefined,
    checks: createChecks(contract),
    functions,
    limitCodes: terms.limitCodes,
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
  const judged = judgeHeaders(
    contract,
    report.cases.map((result, at) => ({ ...result, verdict: cases[at]?.now ?? result.verdict })),
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
