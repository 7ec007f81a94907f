import type { Contract, JsonValue } from '../../contract/index.js'
import { createChecks } from '../checks/create-checks.js'
import { judgeHeaders } from '../run/answer/every-answer.js'
import { variablesOfCases } from '../run/answer/network-answers.js'
import { contractTerms } from '../run/plan/contract-terms.js'
import { runVariables } from '../run/plan/run-variables.js'
import type { Report } from '../run/result/report.js'
import type { ComputeFunction } from '../run/run-steps.js'
import type { Scenario } from '../scenario/scenario.js'
import { sentSteps } from '../scenario/sent-steps.js'
import { createTarget } from '../send/target.js'
import { type JudgedAgain, judgeAgain } from './judge-again.js'

/** What a report is judged again by. */
export interface VerifyOptions {
  readonly contract: Contract
  readonly scenarios: readonly Scenario[]
  readonly functions: Readonly<Record<string, ComputeFunction>>
  /** What every scenario knows, beside what the contract states. */
  readonly variables: ReadonlyMap<string, JsonValue>
}

/** What became of a report. */
export interface Verification {
  /** Every case of the report, in its order. */
  readonly cases: readonly JudgedAgain[]
  /** Ids of cases that the report does not have. */
  readonly added: readonly string[]
}

/** The keys that scenarios name; the report has one URL for all. */
function keyNames(scenarios: readonly Scenario[]): readonly string[] {
  const keys = scenarios.flatMap(({ steps }) => sentSteps(steps)).map(({ key }) => key)
  return keys.filter((key) => typeof key === 'string')
}

/**
 * Judges the answers that a report holds by a contract and scenarios, which may be newer than it; sends nothing.
 * @throws TargetError where the contract does not have the report's network
 */
export async function verifyReport(report: Report, options: VerifyOptions): Promise<Verification> {
  const { contract, scenarios, functions } = options
  const terms = contractTerms(contract)
  const { url, network, answers = {} } = report.target
  const { networks, paths } = terms
  const keyUrls = Object.fromEntries(keyNames(scenarios).map((name) => [name, url]))
  const target = createTarget({ url, keyUrls, network, networks, paths })
  const steps = {
    target,
    checks: createChecks(contract),
    functions,
    limitCodes: terms.limitCodes,
    redact: (text: string) => text,
    pause: async () => {},
  }
  const started = new Date(report.started)
  const variables = runVariables({ contract: terms.variables(network), started, given: options.variables })
  const variablesOf = variablesOfCases(terms, variables, answers)
  const byId = new Map(scenarios.map((scenario) => [scenario.id, scenario]))
  const cases: JudgedAgain[] = []
  for (const result of report.cases) {
    cases.push(
      await judgeAgain(result, byId.get(result.id), { fixtures: report.fixtures, variablesOf, steps }),
    )
  }
  const judged = judgeHeaders(
    contract,
    report.cases.map((result, at) => ({ ...result, verdict: cases[at]?.now ?? result.verdict })),
  )
  for (const [at, { verdict, reason }] of judged.entries()) {
    const again = cases[at]
    if (again?.now === undefined || again.now === verdict) continue
    // The list of known failures is not judged again.
    cases[at] = { ...again, now: again.before === 'known-fail' ? again.before : verdict, reason }
  }
  const had = new Set(report.cases.map(({ id }) => id))
  return { cases, added: scenarios.map(({ id }) => id).filter((id) => !had.has(id)) }
}
