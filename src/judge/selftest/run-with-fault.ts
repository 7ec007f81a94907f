import type { CaseResult, Report } from '../report/index.js'
import { runConformance } from '../run/run-conformance.js'
import type { Scenario } from '../scenario/scenario.js'
import { createRedactor } from '../send/redact/redactor.js'
import { secretsOf } from '../send/redact/secrets-of.js'
import { createSender } from '../send/sender.js'
import { createTarget } from '../send/target.js'
import { contractTerms } from '../terms/contract-terms.js'
import type { Fault } from './fault.js'
import { createFaultyTransport, type FaultyTransport } from './faulty-connections.js'
import { type FaultyRunOptions, type SelftestUser, selftestDefaults } from './selftest-options.js'

/** Report of a run, with the number of exchanges that the fault changed. */
export interface FaultyRun {
  readonly report: Report
  readonly changes: number
}

/** The fault or the service failed, so the selftest proves nothing. The message is one sentence. */
export class SelftestTrouble extends Error {
  override readonly name = 'SelftestTrouble'
}

/**
 * Runs cases with a fault, as a new user. Fixture searches also pass through the fault, as they would in a faulty service.
 * @param fault fault to apply; undefined runs the cases without one
 * @param isEnough ends the run early when true for a result; the remaining cases are reported as `not-run`
 * @throws SelftestTrouble when an exchange could not be completed
 */
export async function runWithFault(
  options: FaultyRunOptions,
  fault: Fault | undefined,
  scenarios: readonly Scenario[],
  isEnough: (result: CaseResult) => boolean,
): Promise<FaultyRun> {
  const isSpending = scenarios.some(({ effect }) => effect === 'spends-quota')
  // Calls also travel with the second key.
  const needs = new Set(['second-key', ...scenarios.flatMap((scenario) => scenario.needs)])
  const user = await options.service.newUser(isSpending, needs)
  const transport = createFaultyTransport(fault)
  const failOnTrouble = () => {
    const [trouble] = transport.troubles()
    if (trouble === undefined || options.signal?.aborted === true) return
    const reason = trouble instanceof Error ? trouble.message : String(trouble)
    throw new SelftestTrouble(`an exchange failed with ${fault?.name ?? 'no fault'}: ${reason}`)
  }
  try {
    const report = await judge(options, transport, user, scenarios, isEnough)
    failOnTrouble()
    return { report, changes: transport.changes() }
  } catch (error) {
    // The trouble is the cause of the run's error, so it takes precedence.
    failOnTrouble()
    throw error
  }
}

async function judge(
  options: FaultyRunOptions,
  { wrap }: FaultyTransport,
  user: SelftestUser,
  scenarios: readonly Scenario[],
  isEnough: (result: CaseResult) => boolean,
) {
  const { contract, checks, service } = options
  const { networks, paths } = contractTerms(contract)
  const { url, secondUrl, revokedUrl, keyUrls, address } = user
  const target = createTarget({
    ...{ url, secondUrl, revokedUrl, keyUrls },
    networks,
    paths,
  })
  const { casesAtOnce: concurrency, timeoutMilliseconds, maximumBytes } = selftestDefaults
  const allowed = new Set(['read', 'write', 'spends-quota'] as const)
  const bounds = { budget: undefined, perSecond: undefined, concurrency }
  const sender = createSender({
    ...bounds,
    effects: checks.effects,
    methods: checks.methods,
    assumeRead: () => false,
    allow: allowed,
    timeoutMilliseconds,
    maximumBytes,
    headers: {},
    localAddress: address,
    wrapHttp: wrap,
  })
  const enough = new AbortController()
  const { fundedKey } = service
  const secrets = fundedKey === undefined ? [] : [fundedKey, fundedKey.slice(2)]
  try {
    return await runConformance({
      ...options,
      profile: new Map(),
      onFound: undefined,
      scenarios,
      catalogue: scenarios,
      known: [],
      target,
      sender,
      headers: {},
      redactor: createRedactor(
        secretsOf({ values: options.isUnshown ? [] : [...target.secrets, ...secrets] }),
      ),
      variables: new Map(fundedKey === undefined ? [] : [['fundedKey', fundedKey]]),
      facts: new Set(fundedKey === undefined ? [] : ['funded-key']),
      mode: { ...bounds, allowed },
      signal: AbortSignal.any([...(options.signal ? [options.signal] : []), enough.signal]),
      onProgress: ({ last }) => isEnough(last) && enough.abort(),
    })
  } finally {
    sender.close()
  }
}
