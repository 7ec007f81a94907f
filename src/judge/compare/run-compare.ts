import { isArray, sessionOf } from '../../toolkit/contract/index.js'
import { LawAnswers } from '../oracles/laws/law-answers.js'
import { curlLine } from '../record/curl-line.js'
import { ExchangeTrail } from '../record/evidence.js'
import { Unjudged } from '../record/stored-answers.js'
import type { CaseResult } from '../report/index.js'
import { AccessRefused, contactedSend, Unreachable } from '../requests/contact.js'
import { refuseAccess } from '../requests/head-reader.js'
import { unsentBy } from '../requests/not-sent.js'
import { pauser } from '../requests/pauser.js'
import { SharedAnswers } from '../requests/shared-answers.js'
import { CaseEnded } from '../run/case-ended.js'
import { createFixtureFinder, type FindFixture } from '../run/fixture-finder.js'
import { inPool } from '../run/in-pool.js'
import { facts, skipReasonOf } from '../run/plan/skip-reasons.js'
import { subscriptionIn } from '../run/plan/transport-reasons.js'
import { redactReport } from '../run/result/redact-report.js'
import { runSteps, type StepsContext } from '../run/run-steps.js'
import type { Scenario } from '../scenario/scenario.js'
import { ScenarioRunError } from '../scenario/scenario-run-error.js'
import type { Exchange, Outgoing, Send } from '../send/exchange.js'
import type { Target } from '../send/target.js'
import { contractTerms } from '../terms/contract-terms.js'
import { createBlockReader, findCommonBlock, pinCall } from './common-block.js'
import { isComparable, notRun } from './comparable-cases.js'
import { type CompareOptions, type DeploymentOptions, NotComparable } from './compare-options.js'
import {
  type ComparedRequest,
  type ComparedSide,
  type CompareReport,
  comparisonCounts,
} from './compare-report.js'
import {
  type CompareRequestOptions,
  compareRequest,
  type RequestComparison,
  type Side,
  startOf,
} from './compare-request.js'
import { missingAnswers, storedCases } from './stored-cases.js'
import { sentAgain, storedRequests, storedSide } from './stored-side.js'

/**
 * Sends the calls of read-only cases to two deployments and compares the answers. Calls are pinned to a
 * common block. Fixtures are searched on A, at that block or below. A report stands for a deployment: its calls are
 * compared as they were sent.
 * @throws Unreachable, AccessRefused or NotComparable, each with the name of the deployment
 */
export async function runCompare(options: CompareOptions): Promise<CompareReport> {
  const started = new Date()
  const from = performance.now()
  const comparison = await Comparing.begin(options)
  const stored = storedCases(options)
  const cases = options.chosen.filter(isComparable).filter(({ id }) => stored?.isCompared(id) !== false)
  let done = 0
  await inPool(cases, options.concurrency, async (scenario) => {
    await (stored ? comparison.replay(scenario, stored.resultsOf(scenario.id)) : comparison.run(scenario))
    done++
    options.onProgress?.(done, cases.length, scenario.id)
  })
  const { contract, contractSha256: sha256, redactor } = options
  const requests = [...comparison.requests, ...(stored?.unknown ?? [])]
  const report: CompareReport = {
    schema: 'concordat-compare-report/1',
    tool: options.tool,
    contract: { title: contract.title, version: contract.version, sha256 },
    a: sideOf(options.a, comparison.requestOptions.a),
    b: sideOf(options.b, comparison.requestOptions.b),
    pinned: comparison.requestOptions.commonBlock,
    notes: comparison.notes,
    started: started.toISOString(),
    milliseconds: Math.round(performance.now() - from),
    counts: comparisonCounts(requests),
    requests,
  }
  return redactReport(report, (text) => redactor.redact(text))
}

function sideOf({ target: { shown }, answers }: DeploymentOptions, { blocks }: Side): ComparedSide {
  if ('report' in answers) {
    const { file, report } = answers
    const stored = { file, started: report.started }
    return { url: shown, stored, head: report.target.head, requests: { http: 0, billed: 0, limited: 0 } }
  }
  const { http, billed, limited } = answers.counts()
  return { url: shown, head: blocks?.head.last(), requests: { http, billed, limited } }
}

class Comparing {
  readonly requests: ComparedRequest[] = []
  readonly notes: string[] = []
  readonly requestOptions: CompareRequestOptions
  readonly #options: CompareOptions
  readonly #findFixture: FindFixture
  readonly #context: Omit<StepsContext, 'trail' | 'owner' | 'rules' | 'send'>
  /** Exchanges of requests already sent to both, by method and parameters. */
  readonly #asked = new Map<string, Promise<Exchange>>()

  static async begin(options: CompareOptions): Promise<Comparing> {
    const terms = contractTerms(options.contract)
    let id = 0
    const nextId = () => ++id
    const plain = new Set(options.scenarios.filter(isComparable).map(({ id }) => id))
    const side = (name: 'A' | 'B', { target, answers }: DeploymentOptions): Side => {
      if ('report' in answers) {
        const results = answers.report.cases.filter((result) => plain.has(result.id))
        return storedSide(answers, target, terms.head, results)
      }
      const send = named(name, target, contactedSend(answers, options.signal, refuseAccess))
      const blocks = createBlockReader(terms.head, target, send, nextId)
      return { url: target.urlFor(), send, blocks, stored: undefined }
    }
    const [a, b] = [side('A', options.a), side('B', options.b)]
    const { contract, checks, toleranceOf } = options
    const base = { contract, checks, question: terms.head, a, b, toleranceOf, pause: pauser(options.signal) }
    for (const { blocks } of [a, b]) await blocks?.head.read()
    const heads = [startOf(a), startOf(b)]
    const comparing = new Comparing(options, { ...base, commonBlock: undefined }, nextId)
    await comparing.#refuseOthers(heads.every((head) => head === undefined))
    const [one, other] = heads
    if (a.blocks === undefined || b.blocks === undefined || one === undefined || other === undefined) {
      if (terms.head !== undefined)
        comparing.notes.push('the head of A or B is unknown, so calls are sent without a fixed block')
      return comparing
    }
    // Calls cannot be pinned without values that refer to the head.
    if (terms.head?.moving.length === 0) return comparing
    const commonBlock = await findCommonBlock(a.blocks, b.blocks, [one, other])
    if (a.stored !== undefined || b.stored !== undefined) {
      if (commonBlock === undefined && one.number === other.number)
        comparing.#refuse('A and B serve different chains')
      return comparing
    }
    if (commonBlock !== undefined) {
      const pinned = new Comparing(options, { ...base, commonBlock }, nextId)
      pinned.notes.push(...comparing.notes)
      return pinned
    }
    const text = `A and B have no common block below their heads (${one.number} and ${other.number}): they serve different chains`
    comparing.#refuse(text)
    return comparing
  }

  constructor(options: CompareOptions, requestOptions: CompareRequestOptions, nextId: () => number) {
    const { contract, a, checks, functions, redactor, signal, fixtures } = options
    const terms = contractTerms(contract)
    this.#options = options
    this.requestOptions = requestOptions
    this.#context = {
      target: a.target,
      nextId,
      checks,
      functions,
      // Laws are not compared.
      lawAnswers: new LawAnswers(contract),
      limitErrors: terms.limitErrors,
      redact: (text) => redactor.redact(text),
      shared: new SharedAnswers(),
      pause: pauser(signal),
    }
    this.#findFixture = createFixtureFinder({
      fixtures,
      variables: terms.variables(a.target.network),
      profile: new Map(),
      onFound: undefined,
      context: { ...this.#context, send: (outgoing) => this.#onA(outgoing) },
    })
  }

  /**
   * Compares the answers to the requests that the reports have of a case. Deployments without a report get them again.
   * @param results the results of the case, one of each report that has it
   */
  async replay(scenario: Scenario, results: readonly CaseResult[]): Promise<void> {
    if (this.#hasSubscription(scenario)) return
    const missing = missingAnswers(results)
    if (missing !== undefined) this.requests.push(notRun(scenario, missing))
    const { a, b } = this.requestOptions
    for (const request of storedRequests(results)) {
      let methods: readonly string[] | undefined
      try {
        const outgoing = sentAgain(request, scenario, a.stored === undefined ? b : a)
        methods = outgoing.methods
        await this.#onBoth(outgoing, scenario)
      } catch (error) {
        const unsent =
          error instanceof Unjudged ? { verdict: 'not-run' as const, reason: error.message } : unsentBy(error)
        if (unsent === undefined) throw error
        this.requests.push({ ...notRun(scenario, unsent), ...(methods && { methods }) })
      }
    }
  }

  /** True for a case with a subscription, whose ids and items differ. */
  #hasSubscription(scenario: Scenario): boolean {
    const { connectionMethods } = contractTerms(this.#options.contract)
    return subscriptionIn(scenario, connectionMethods) !== undefined
  }

  /** Runs the steps of a case against A and sends its requests to B, too. */
  async run(scenario: Scenario): Promise<void> {
    const { a } = this.#options
    const circumstances = {
      network: a.target.network,
      facts: new Set(a.target.facts),
      allowed: new Set(['read'] as const),
      transport: a.target.transport,
      connectionMethods: contractTerms(this.#options.contract).connectionMethods,
    }
    if (this.#hasSubscription(scenario) || skipReasonOf(scenario, circumstances) !== undefined) return
    const known = new Map(contractTerms(this.#options.contract).variables(a.target.network))
    try {
      for (const name of scenario.needs.filter((need) => !Object.hasOwn(facts, need))) {
        const fixture = await this.#findFixture(name)
        if (fixture.kind === 'gave-up')
          this.requests.push(notRun(scenario, { ...fixture, verdict: 'gave-up' }))
        if (fixture.kind !== 'found') return
        for (const [variable, value] of fixture.captures) known.set(variable, value)
      }
      const { builtIn, effect, rules } = scenario
      const trail = new ExchangeTrail()
      const send: Send = (outgoing) => this.#onBoth(outgoing, scenario)
      await runSteps(scenario.steps, known, {
        ...this.#context,
        shared: undefined,
        send,
        owner: { builtIn, effect },
        rules,
        trail,
      })
    } catch (error) {
      const unsent = unsentBy(error)
      if (unsent !== undefined) this.requests.push(notRun(scenario, unsent))
      // Earlier requests of the case are already compared, and the remaining ones cannot be sent.
      else if (!(error instanceof ScenarioRunError || error instanceof CaseEnded)) throw error
    }
  }

  /** Sends a fixture request to A only, pinned to the common block. */
  #onA(outgoing: Outgoing): Promise<Exchange> {
    const { contract, checks, question, commonBlock, a } = this.requestOptions
    const { methods, body } = outgoing
    const [method] = methods ?? []
    if (body === undefined || method === undefined || methods?.length !== 1) return a.send(outgoing)
    const call = JSON.parse(Buffer.from(body).toString('utf8'))
    if (isArray(call)) return a.send(outgoing)
    const { params } = pinCall(method, call.params, contract, question, commonBlock, checks.takes)
    return a.send({ ...outgoing, body: Buffer.from(JSON.stringify({ ...call, params })) })
  }

  /** Sends each distinct request once. A repeated call receives the earlier answer under its own id. */
  async #onBoth(outgoing: Outgoing, scenario: Scenario): Promise<Exchange> {
    const text = Buffer.from(outgoing.body ?? []).toString('utf8')
    const { id, ...rest } = JSON.parse(text)
    const key = Array.isArray(JSON.parse(text)) ? undefined : JSON.stringify(rest)
    const known = key === undefined ? undefined : this.#asked.get(key)
    if (known !== undefined) return underId(await known, id)
    const asked = this.#compare(outgoing, scenario)
    if (key !== undefined) this.#asked.set(key, asked)
    return asked
  }

  async #compare(outgoing: Outgoing, scenario: Scenario): Promise<Exchange> {
    const compared = await compareRequest(outgoing, this.requestOptions)
    if (compared === undefined) return this.requestOptions.a.send(outgoing)
    this.requests.push(this.#describe(scenario, compared))
    return compared.exchanges.a
  }

  #describe({ id }: Scenario, compared: RequestComparison): ComparedRequest {
    const { calls, comparison, reason, differences, isWording, exchanges } = compared
    const { a, b } = this.requestOptions
    const session = sessionOf(this.#options.contract)
    const line = ({ outgoing }: Exchange, { url }: Side, { headers }: DeploymentOptions, variable: string) =>
      curlLine({ ...outgoing, headers: { ...headers, ...outgoing.headers } }, url, variable, session)
    const curl = {
      ...(a.stored === undefined && { a: line(exchanges.a, a, this.#options.a, 'URL_A') }),
      ...(b.stored === undefined && { b: line(exchanges.b, b, this.#options.b, 'URL_B') }),
    }
    return {
      case: id,
      methods: calls.map(({ method }) => method),
      params: calls.map(({ params }) => params ?? []),
      comparison,
      reason,
      differences,
      isWording,
      curl: comparison === 'alike' || comparison === 'not-compared' ? undefined : curl,
    }
  }

  /** Rejects two different networks, unless the cases were selected by name. */
  async #refuseOthers(isSilent: boolean): Promise<void> {
    const { a, b, scenarios } = this.#options
    const [one, other] = [a.target.network, b.target.network]
    const problem =
      one !== undefined && other !== undefined && one !== other
        ? `A serves the network ${one}, B serves ${other}`
        : isSilent
          ? undefined
          : await this.#otherIdentity(scenarios)
    if (problem !== undefined) this.#refuse(problem)
  }

  /** @throws NotComparable unless the cases were selected by name */
  #refuse(problem: string): void {
    if (this.#options.only.length === 0)
      throw new NotComparable(`${problem}; use --only to compare selected calls anyway`)
    this.notes.push(problem)
  }

  /** Compares the calls that identify a network: those with an example for one network only. */
  async #otherIdentity(scenarios: readonly Scenario[]): Promise<string | undefined> {
    const methods = new Set<string>()
    for (const { origin, networks, steps } of scenarios) {
      const [step] = steps
      const isIdentity = origin === 'derived' && networks.length > 0 && step?.kind === 'call'
      if (!isIdentity || methods.has(step.call.method)) continue
      const params = step.call.params
      if (!isArray(params) || params.length > 0 || !this.#options.checks.effects.has(step.call.method))
        continue
      if (this.#options.checks.effects.get(step.call.method) !== 'read') continue
      methods.add(step.call.method)
      const compared = await compareRequest(this.#identityRequest(step.call.method), this.requestOptions)
      const [difference] = compared?.differences ?? []
      if (difference !== undefined) {
        return `${step.call.method} shows two different networks: A has ${difference.a}, B ${difference.b}`
      }
    }
    return undefined
  }

  #identityRequest(method: string): Outgoing {
    return {
      verb: 'POST',
      url: this.requestOptions.a.url,
      headers: { 'content-type': 'application/json' },
      body: Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: [] })),
      methods: [method],
      billed: 1,
      builtIn: false,
      effect: 'read',
    }
  }
}

function underId(exchange: Exchange, id: unknown): Exchange {
  const { reply } = exchange
  if (reply?.text === undefined) return exchange
  const text = reply.text.replace(/("id"\s*:\s*)-?\d+/, (_, name: string) => `${name}${JSON.stringify(id)}`)
  return { ...exchange, reply: { ...reply, text, bytes: Buffer.from(text) } }
}

/** Adds the deployment's name to errors that end the comparison. */
function named(name: 'A' | 'B', { shown }: Target, send: Send): Send {
  return async (outgoing) => {
    try {
      return await send(outgoing)
    } catch (error) {
      if (error instanceof Unreachable)
        throw new Unreachable(`${name}, ${shown}, cannot be reached: ${error.message}`)
      if (error instanceof AccessRefused)
        throw new AccessRefused(`${name}, ${shown}, refuses access (${error.message})`)
      throw error
    }
  }
}
