import { type JsonValue, sessionOf } from '../../toolkit/contract/index.js'
import { formCoverage } from '../forms/form-coverage.js'
import { KnownHeads } from '../forms/known-heads.js'
import { repetitionForms } from '../forms/repetition-forms.js'
import { Spellings } from '../forms/spellings.js'
import { latencyLimits } from '../latency/latency-limits.js'
import { createLatencyRecorder } from '../latency/latency-recorder.js'
import { LawAnswers } from '../oracles/laws/law-answers.js'
import { judgeRun } from '../oracles/oracles.js'
import { createSecretLeaks, type SecretLeaks } from '../oracles/secret-leaks.js'
import { everyAnswer } from '../oracles/traffic/judge-unjudged.js'
import { createTraffic, invariantsOf, type Traffic } from '../oracles/traffic/traffic.js'
import { createEvidenceMaker } from '../record/evidence.js'
import { type CaseResult, completenessOf, countsOf, notTestedText, type Report } from '../report/index.js'
import { contactedSend } from '../requests/contact.js'
import { createHeadReader, isAboutHead, refuseAccess, untilAnswered } from '../requests/head-reader.js'
import {
  askNetwork,
  type NetworkQuestion,
  networkCalls,
  variablesOfCases,
} from '../requests/network-answers.js'
import { pauser } from '../requests/pauser.js'
import { SharedAnswers } from '../requests/shared-answers.js'
import type { Invariants } from '../scenario/invariant.js'
import type { Exchange } from '../send/exchange.js'
import { shrinkFailures } from '../shrink/shrink-failures.js'
import { contractTerms } from '../terms/contract-terms.js'
import { CaseLock } from './case-lock.js'
import { createFixtureFinder } from './fixture-finder.js'
import { applyKnownFailures } from './plan/known-failures.js'
import { phasesOf } from './plan/phases.js'
import type { RunOptions } from './plan/run-options.js'
import { runVariables } from './plan/run-variables.js'
import { isFact, skipReasonOf } from './plan/skip-reasons.js'
import { repeatCase } from './repeat-case.js'
import { createCoverage } from './result/answer-coverage.js'
import { elementCoverage } from './result/element-coverage.js'
import { redactReport } from './result/redact-report.js'
import { ruleCoverage } from './result/rule-coverage.js'
import { type CaseContext, runCase } from './run-case.js'
import type { SendContext } from './send-step.js'

const noInvariants: Invariants = { invariants: [], entities: [] }

/**
 * Runs cases against a target and reports the results, with every secret replaced. Cases that only read run
 * concurrently. Cases that write or must be alone run one at a time, and so do cases that spend the quota,
 * which run last.
 * @throws Unreachable if the first request reaches no server
 * @throws AccessRefused if the first answer refuses access
 */
export async function runConformance(options: RunOptions): Promise<Report> {
  const started = new Date()
  const from = performance.now()
  const found = new Map<string, Readonly<Record<string, JsonValue>>>(options.profile)
  const coverage = createCoverage(options.contract)
  const forms = new Set<string>()
  const latency = createLatencyRecorder(options.contract)
  const { network, leaks, traffic, ...context } = contextOf({
    ...options,
    onExchange: latency.record,
    onAnswer: (call) => {
      coverage.see(call)
      if (call.form !== undefined) forms.add(call.form)
    },
    started,
    onFound: (fixture, captures) => {
      found.set(fixture, captures)
      options.onFound?.(fixture, captures)
    },
    onReset: (reason) => {
      found.clear()
      options.onReset?.(reason)
    },
  })
  const results = new Map<string, Promise<CaseResult>>()
  const head = await context.head.readFirst()
  const answers = await askNetwork(networkCalls(network.terms, options.scenarios), network)
  const variablesOf = variablesOfCases(network.terms, network.variables, answers)
  const caseContext = {
    ...context,
    variablesOf,
    lock: new CaseLock(),
    resultOf: async (id: string) => results.get(id),
  }
  await runAll(options, caseContext, results)
  const ran = await Promise.all(options.scenarios.map(({ id }) => results.get(id)))
  const shrunk = await shrinkFailures(
    options.scenarios,
    ran.filter((result) => result !== undefined),
    { ...options, run: (scenario) => runCase(scenario, caseContext) },
  )
  const { invariants = noInvariants, isReported = () => true } = options
  const isShown = ({ id, verdict }: CaseResult) =>
    verdict === 'fail' || ((id !== everyAnswer || options.isOnlyInvariants === true) && isReported(id))
  const today = started.toISOString().slice(0, 10)
  const cases = applyKnownFailures(
    judgeRun({
      contract: options.contract,
      cases: options.isOnlyInvariants === true ? [] : shrunk,
      invariants: traffic.cases(context.evidence, shrunk),
      isReported: isShown,
      leaks,
    }),
    options.known,
    [
      ...options.catalogue.map(({ id }) => id),
      ...invariantsOf(options.contract, invariants, true).map(({ id }) => id),
    ],
    today,
  )
  const { contract, contractSha256: sha256, target, mode, sender, redactor } = options
  const rules = ruleCoverage(contractTerms(contract).rules, cases)
  const answered = { ...coverage.summary(), forms: formCoverage(contract, target, forms) }
  const report: Report = {
    schema: 'concordat-conformance-report/2',
    notTested: notTestedText({ rules, coverage: answered, cases }),
    completeness: completenessOf({ cases }),
    tool: options.tool,
    contract: { title: contract.title, version: contract.version, sha256 },
    target: { url: target.shown, network: target.network, answers, head },
    mode: {
      allowed: [...mode.allowed],
      budget: mode.budget ?? null,
      perSecond: mode.perSecond ?? null,
      concurrency: mode.concurrency,
    },
    started: started.toISOString(),
    milliseconds: Math.round(performance.now() - from),
    requests: sender.counts(),
    counts: countsOf(cases),
    cases,
    rules,
    elements: elementCoverage(contract, options.scenarios, cases),
    coverage: answered,
    latency: latency.summary(latencyLimits(contract, options.latencyLimits ?? [])),
    stated: traffic.stated(),
    fixtures: Object.fromEntries(found),
  }
  return redactReport(report, (text) => redactor.redact(text))
}

interface ContextOptions {
  readonly started: Date
  readonly onExchange: (exchange: Exchange) => void
}

function contextOf(options: RunOptions & Pick<SendContext, 'onAnswer'> & ContextOptions): Omit<
  CaseContext,
  'resultOf' | 'lock' | 'variablesOf'
> & {
  readonly network: NetworkQuestion
  readonly leaks: SecretLeaks
  readonly traffic: Traffic
} {
  const { contract, target, checks, functions, redactor, mode, sender, onExchange } = options
  const terms = contractTerms(contract)
  const { started, variables: given, headers } = options
  const redact = (text: string) => redactor.redact(text)
  const texts = [...given.values()].filter((value) => typeof value === 'string')
  // An answer may contain a private key without its 0x prefix.
  const secrets = [...target.secrets, ...texts, ...texts.map((text) => text.replace(/^0x/, ''))]
  const contractVariables = terms.variables(target.network)
  const { invariants = noInvariants } = options
  const traffic = createTraffic({
    ...{ contract, invariants, checks, functions },
    variables: contractVariables,
    paths: terms.paths,
    hasConnections: target.transport !== 'http',
    started: started.getTime(),
    url: target.shown,
  })
  const lawAnswers = new LawAnswers(contract)
  const shared = new SharedAnswers((call) => terms.head !== undefined && isAboutHead(call, terms.head))
  const knownHeads = new KnownHeads(terms.head, () => shared.headMoved())
  const leaks = createSecretLeaks(
    { values: secrets, headers },
    createEvidenceMaker({ redact, ownUrl: target.urlFor(), headers, session: sessionOf(contract) }),
  )
  // With `x-head`, the first request is the head reading, which checks access itself.
  const isOwn = ({ outgoing }: Exchange) => terms.head === undefined && outgoing.url === target.urlFor()
  const send = contactedSend(
    sender,
    options.signal,
    (first) => isOwn(first) && refuseAccess(first),
    (exchange) => {
      onExchange(exchange)
      for (const seen of [...(exchange.earlier ?? []), exchange]) leaks.see(seen)
      traffic.see(exchange)
      knownHeads.see(exchange)
      lawAnswers.see(exchange)
    },
  )
  let id = 0
  const nextId = () => ++id
  const variables = runVariables({ contract: contractVariables, started, given })
  const { transport, network } = target
  const { connectionMethods } = terms
  const steps = {
    target,
    subscriptions: transport !== 'http' ? connectionMethods.subscriptions : undefined,
    nextId,
    send,
    lawAnswers,
    checks,
    functions,
    limitErrors: terms.limitErrors,
    redact,
    shared,
    refusedForms: new Set<string>(),
    spellings: new Spellings(contract, knownHeads, terms.head),
    onAnswer: options.onAnswer,
    pause: pauser(options.signal),
  }
  const known = new Set([...target.facts, ...options.facts])
  const circumstances = { network, facts: known, allowed: mode.allowed, transport, connectionMethods }
  const { fixtures, profile, onFound, onReset } = options
  return {
    skipReason: (scenario) => skipReasonOf(scenario, circumstances),
    isFact,
    findFixture: createFixtureFinder({ fixtures, variables, profile, onFound, onReset, context: steps }),
    head: createHeadReader(terms.head, target, send, nextId),
    untilAnswered: () => untilAnswered({ question: terms.head, ...steps }),
    network: { terms, variables, ...steps },
    steps,
    leaks,
    traffic,
    evidence: leaks.evidence,
  }
}

/**
 * Runs all cases, phase by phase.
 * @param results receives the promise of each case's result, by id, when the case begins
 */
async function runAll(
  {
    contract,
    target,
    scenarios,
    catalogue,
    mode,
    repeat = 1,
    onProgress,
  }: Pick<RunOptions, 'contract' | 'target' | 'scenarios' | 'catalogue' | 'mode' | 'repeat' | 'onProgress'>,
  context: CaseContext,
  results: Map<string, Promise<CaseResult>>,
): Promise<void> {
  const inForm = repetitionForms(contract, target, catalogue)
  let done = 0
  for (const phase of phasesOf(scenarios)) {
    const queue = phase.scenarios.values()
    const worker = async (): Promise<void> => {
      for (const scenario of queue) {
        const running = repeatCase(scenario, repeat, context, inForm)
        results.set(scenario.id, running)
        const last = await running
        done++
        onProgress?.({ done, total: scenarios.length, last })
      }
    }
    const workers = phase.isSerial ? 1 : Math.max(1, mode.concurrency)
    await Promise.all(Array.from({ length: workers }, worker))
  }
}
