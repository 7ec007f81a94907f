import { type Contract, isArray, sessionOf } from '../../toolkit/contract/index.js'
import type { Checks } from '../checks/checks.js'
import { LawAnswers } from '../oracles/laws/law-answers.js'
import { curlLine } from '../record/curl-line.js'
import { ExchangeTrail } from '../record/evidence.js'
import { AccessRefused, contactedSend, Unreachable } from '../requests/contact.js'
import { refuseAccess } from '../requests/head-reader.js'
import { type Unsent, unsentBy } from '../requests/not-sent.js'
import { pauser } from '../requests/pauser.js'
import { SharedAnswers } from '../requests/shared-answers.js'
import { CaseEnded } from '../run/case-ended.js'
import { createFixtureFinder, type FindFixture } from '../run/fixture-finder.js'
import { inPool } from '../run/in-pool.js'
import { facts, skipReasonOf } from '../run/plan/skip-reasons.js'
import { subscriptionIn } from '../run/plan/transport-reasons.js'
import { redactReport } from '../run/result/redact-report.js'
import { runSteps, type StepsContext } from '../run/run-steps.js'
import type { ComputeFunction } from '../scenario/compute-function.js'
import type { Fixture, Scenario } from '../scenario/scenario.js'
import { ScenarioRunError } from '../scenario/scenario-run-error.js'
import { sentSteps } from '../scenario/sent-steps.js'
import type { Exchange, Outgoing, Send } from '../send/exchange.js'
import type { Redactor } from '../send/redact/redactor.js'
import type { Sender } from '../send/sender.js'
import type { Target } from '../send/target.js'
import { contractTerms } from '../terms/contract-terms.js'
import { createBlockReader, findCommonBlock, pinCall } from './common-block.js'
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
} from './compare-request.js'

/**
 * The deployments cannot be compared, for example because they serve different networks. The message says
 * why.
 */
export class NotComparable extends Error {
  override readonly name = 'NotComparable'
}

/** Options for one deployment. */
export interface DeploymentOptions {
  readonly target: Target
  readonly sender: Sender
  /** Headers added to every request. Their values are secrets. */
  readonly headers: Readonly<Record<string, string>>
}

/** Options for a comparison. */
export interface CompareOptions {
  readonly tool: CompareReport['tool']
  readonly contract: Contract
  /** SHA-256 of the contract file, hexadecimal. */
  readonly contractSha256: string
  /** All cases. Those derived from examples of one network serve to identify the network. */
  readonly scenarios: readonly Scenario[]
  /** Selected cases. Only cases with plain, read-only calls are compared. */
  readonly chosen: readonly Scenario[]
  readonly fixtures: readonly Fixture[]
  /** True when cases were selected by name. The deployments may then serve different networks. */
  readonly isChosen: boolean
  readonly a: DeploymentOptions
  readonly b: DeploymentOptions
  readonly checks: Checks
  readonly functions: Readonly<Record<string, ComputeFunction>>
  readonly redactor: Redactor
  /** Returns the greatest difference of two numbers in the results of a method; undefined for none. */
  readonly toleranceOf: CompareRequestOptions['toleranceOf']
  /** Number of cases that run concurrently. */
  readonly concurrency: number
  readonly onProgress: ((done: number, total: number, last: string) => void) | undefined
  readonly signal: AbortSignal | undefined
}

/**
 * Sends the calls of read-only cases to two deployments and compares the answers. Calls are pinned to a
 * common block. Fixtures are searched on A, at that block or below.
 * @throws Unreachable, AccessRefused or NotComparable, each with the name of the deployment
 */
export async function runCompare(options: CompareOptions): Promise<CompareReport> {
  const started = new Date()
  const from = performance.now()
  const comparison = await Comparing.begin(options)
  const cases = options.chosen.filter(isComparable)
  let done = 0
  await inPool(cases, options.concurrency, async (scenario) => {
    await comparison.run(scenario)
    done++
    options.onProgress?.(done, cases.length, scenario.id)
  })
  const { contract, contractSha256: sha256, redactor } = options
  const requests = comparison.requests
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

/** True for cases with plain calls only. Raw bodies, headers, paths and keys test HTTP instead of answers. */
function isComparable({ effect, steps, alone }: Scenario): boolean {
  const sent = sentSteps(steps)
  return (
    effect === 'read' &&
    alone !== true &&
    sent.length > 0 &&
    sent.every((step) => step.kind !== 'raw' && isPlain(step))
  )
}

function isPlain({ headers, verb, path, key }: ReturnType<typeof sentSteps>[number]): boolean {
  return Object.keys(headers).length === 0 && verb === undefined && path === undefined && key === undefined
}

function sideOf({ target, sender }: DeploymentOptions, { blocks }: Side): ComparedSide {
  const { http, billed, limited } = sender.counts()
  return { url: target.shown, head: blocks?.head.last(), requests: { http, billed, limited } }
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
    const side = (name: 'A' | 'B', { target, sender }: DeploymentOptions): Side => {
      const send = named(name, target, contactedSend(sender, options.signal, refuseAccess))
      return { url: target.urlFor(), send, blocks: createBlockReader(terms.head, target, send, nextId) }
    }
    const [a, b] = [side('A', options.a), side('B', options.b)]
    const { contract, checks, toleranceOf } = options
    const base = { contract, checks, question: terms.head, a, b, toleranceOf, pause: pauser(options.signal) }
    const heads = [await a.blocks?.head.read(), await b.blocks?.head.read()]
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
    if (commonBlock !== undefined) {
      const pinned = new Comparing(options, { ...base, commonBlock }, nextId)
      pinned.notes.push(...comparing.notes)
      return pinned
    }
    const text = `A and B have no common block below their heads (${one.number} and ${other.number}): they serve different chains`
    if (!options.isChosen) throw new NotComparable(`${text}; use --only to compare selected calls anyway`)
    comparing.notes.push(text)
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
    // The ids and items of subscriptions differ.
    if (subscriptionIn(scenario, circumstances.connectionMethods) !== undefined) return
    if (skipReasonOf(scenario, circumstances) !== undefined) return
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
      a: line(exchanges.a, a, this.#options.a, 'URL_A'),
      b: line(exchanges.b, b, this.#options.b, 'URL_B'),
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
    const { a, b, scenarios, isChosen } = this.#options
    const [one, other] = [a.target.network, b.target.network]
    const problem =
      one !== undefined && other !== undefined && one !== other
        ? `A serves the network ${one}, B serves ${other}`
        : isSilent
          ? undefined
          : await this.#otherIdentity(scenarios)
    if (problem === undefined) return
    if (!isChosen) throw new NotComparable(`${problem}; use --only to compare selected calls anyway`)
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

/** Returns the outcome of a case that sends no further request. Missing answers never count as agreement. */
function notRun(
  { id, steps }: Scenario,
  { verdict, reason }: Pick<Unsent, 'verdict' | 'reason'>,
): ComparedRequest {
  const methods = sentSteps(steps).flatMap((step) => (step.kind === 'call' ? [step.call.method] : []))
  return {
    case: id,
    methods,
    params: [],
    comparison: verdict === 'gave-up' ? 'unanswered' : 'not-run',
    reason,
    differences: [],
    isWording: false,
    curl: undefined,
  }
}
