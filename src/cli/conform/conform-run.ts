import { chainFunctions } from '../../judge/functions/index.js'
import {
  contractTerms,
  createSafeMode,
  createSender,
  type KnownFailure,
  type LatencyLimit,
  networkCalls,
  type Plan,
  planRun,
  type Redactor,
  type RunOptions,
  type Scenario,
  type Sender,
  skipReasonOf,
  type Target,
} from '../../judge/index.js'
import { type Contract, sessionOf } from '../../toolkit/contract/index.js'
import type { CommandIo } from '../io.js'
import { chosenInvariants } from './chosen-invariants.js'
import { type ConformOptions, conformDefaults } from './conform-options.js'
import { readProfile } from './conform-profile.js'
import { type Bounds, type GivenSecrets, givenSecrets } from './conform-setup.js'
import type { Suite } from './conform-suite.js'
import { assumedToRead, methodsMatching } from './method-patterns.js'

/** The inputs of a run. */
export interface Run {
  readonly options: ConformOptions
  readonly suite: Suite
  readonly scenarios: readonly Scenario[]
  readonly target: Target
  readonly bounds: Bounds
  readonly io: CommandIo
}

/** Computes the maximum cost of some cases. @param profile names of fixtures that need not be found */
export function planOf(
  run: Run,
  scenarios: readonly Scenario[],
  profile: ReadonlySet<string>,
): Promise<Plan> {
  const { suite, target, io } = run
  const terms = contractTerms(suite.contract)
  return planRun({
    scenarios,
    fixtures: suite.fixtures,
    variables: terms.variables(target.network),
    profile,
    repeat: run.options.repeat,
    hasHead: terms.head !== undefined,
    networkCalls: networkCalls(terms, scenarios).length,
    skipReason: (scenario) => skipReasonOf(scenario, circumstances(run, givenSecrets(io))),
    safeMode: createSafeMode(safetyOf(run)),
    url: target.urlFor(),
  })
}

/** Creates the sender of a run. @param budget maximum billed requests; undefined for no limit */
export function senderOf(run: Run, budget: number | undefined): Sender {
  const { options, suite, bounds } = run
  const { charges, limitErrors } = contractTerms(suite.contract)
  return createSender({
    ...bounds,
    budget,
    ...safetyOf(run),
    timeoutMilliseconds: options.timeoutSeconds * 1000,
    maximumBytes: conformDefaults.maximumBytes,
    headers: options.headers,
    charges,
    limitErrors,
    session: sessionOf(suite.contract),
  })
}

/** Returns the options of a run that come from the command line. */
export function runOptionsOf(
  run: Run,
  given: GivenSecrets,
  redactor: Redactor,
  known: readonly KnownFailure[],
): Omit<RunOptions, 'sender' | 'profile' | 'onFound' | 'onProgress' | 'signal'> {
  const { options, suite, scenarios, target, bounds } = run
  const { invariants, isAlone } = chosenInvariants(suite, options)
  const reported = new Set(invariants.map(({ id }) => id))
  return {
    ...suite,
    contractSha256: suite.sha256,
    scenarios,
    catalogue: suite.scenarios,
    known,
    target,
    headers: options.headers,
    functions: chainFunctions,
    redactor,
    variables: given.variables,
    facts: circumstances(run, given).facts,
    isReported: (invariant) => reported.has(invariant),
    isOnlyInvariants: isAlone,
    repeat: options.repeat,
    latencyLimits: latencyLimitsOf(options, suite.contract),
    mode: { ...bounds, allowed: options.allow },
  }
}

/** Reads the profile that the options name. */
export async function profileOf({ options: { profile }, suite: { sha256 }, target: { network } }: Run) {
  return profile === undefined ? new Map() : readProfile(profile, { network, contractSha256: sha256 })
}

/** Returns which methods may be called. */
function safetyOf({ suite, options }: Run) {
  const { effects, methods } = suite.checks
  return { effects, methods, assumeRead: assumedToRead(options, suite.contract), allow: options.allow }
}

function circumstances({ options, suite, target }: Omit<Run, 'scenarios'>, given: GivenSecrets) {
  const { allow, timeoutSeconds } = options
  const facts = new Set<string>([...target.facts, ...given.facts])
  const { connectionMethods, variables } = contractTerms(suite.contract)
  const limit = variables(undefined).get('limit.requestTimeoutSeconds')
  if (typeof limit === 'number' && timeoutSeconds > limit) facts.add('patience')
  const { network, transport } = target
  return { network, facts, allowed: allow, transport, connectionMethods }
}

/**
 * Returns the limits of `--max-latency` with the names of the methods that their patterns match.
 * @throws UsageError when a pattern matches no method
 */
function latencyLimitsOf(
  { maximumLatency }: Pick<ConformOptions, 'maximumLatency'>,
  contract: Contract,
): readonly LatencyLimit[] {
  return maximumLatency.flatMap((limit) => {
    const { method: pattern } = limit
    if (pattern === undefined) return [limit]
    return methodsMatching('--max-latency', pattern, contract).map((method) => ({ ...limit, method }))
  })
}
