import { setTimeout as after } from 'node:timers/promises'
import type { JsonValue } from '@concordat/rpc'
import {
  AccessRefused,
  contractTerms,
  type KnownFailure,
  type Redactor,
  runConformance,
  type Scenario,
  type Sender,
  Unreachable,
} from '../../../judge/index.js'
import { numbered, type Report } from '../../../judge/report/index.js'
import { printable } from '../../../toolkit/text/index.js'
import { UsageError } from '../../io.js'
import { stopOnSignal } from '../conform-interrupt.js'
import { createOutput, type Output } from '../conform-output.js'
import { planOf, type Run, runOptionsOf, senderOf } from '../conform-run.js'
import { type GivenSecrets, givenSecrets, knownFailuresOf, redactorOf } from '../conform-setup.js'
import { HourlyBudget } from './hourly-budget.js'
import { Rotation } from './rotation.js'
import { RuleStates } from './rule-states.js'
import { LatencyHistogram, metricsText, serveMetrics } from './watch-metrics.js'
import type { WatchOptions } from './watch-options.js'
import { planWatch, startLines, type WatchPlan } from './watch-plan.js'

/**
 * Runs a part of the cases again and again until SIGINT or SIGTERM. Only cases that read run.
 * @returns 0 if no rule fails at the end, 1 if one fails or the service is down, 2 if no case was judged
 * @throws UsageError when the budget is too small, the metrics' port is taken, or the first answer denies access
 */
export async function watchService(given: Run, options: WatchOptions): Promise<number> {
  const { target, io } = given
  // Cases run one at a time, so that they do not disturb the users of the service.
  const run = { ...given, bounds: { ...given.bounds, concurrency: given.options.concurrency ?? 1 } }
  const secrets = givenSecrets(io)
  const redactor = redactorOf(target, run.options.headers, secrets)
  const output = createOutput(io, redactor)
  const known = await knownFailuresOf(run.options.known)
  const plan = await planWatch(run, options)
  const watch = new Watch({ run, options, plan, secrets, redactor, output, known })
  const server =
    options.metricsPort === undefined
      ? undefined
      : await serveMetrics(options.metricsPort, () => metricsText(watch.metrics()))
  const stop = stopOnSignal()
  try {
    output.print(startLines(run, options, plan, server?.url))
    return await watch.untilStopped(stop.signal)
  } finally {
    stop.end()
    server?.close()
  }
}

interface WatchContext {
  readonly run: Run
  readonly options: WatchOptions
  readonly plan: WatchPlan
  readonly secrets: GivenSecrets
  readonly redactor: Redactor
  readonly output: Output
  readonly known: readonly KnownFailure[]
}

/** Statuses of a service that does not answer calls now: the key is refused or out of quota, or a proxy answers. */
const NOT_SERVING: ReadonlySet<number> = new Set([401, 403, 429, 502, 503, 504])

class Watch {
  readonly #context: WatchContext
  readonly #states = new RuleStates()
  readonly #budget: HourlyBudget
  readonly #rotation: Rotation
  readonly #hasHead: boolean
  readonly #methods: ReadonlySet<string>
  readonly #verdicts = new Map<string, number>()
  readonly #latency = new Map<string, LatencyHistogram>()
  readonly #counts = { rounds: 0, rotations: 0, billed: 0, lastRound: 0 }
  /** Data that fixtures found in this rotation. */
  readonly #found = new Map<string, Readonly<Record<string, JsonValue>>>()
  /** Undefined before the end of the first round. */
  #isUp: boolean | undefined

  constructor(context: WatchContext) {
    const { run, options, plan } = context
    const { perHour } = options
    this.#context = context
    this.#budget = new HourlyBudget({ ...plan, perHour, now: () => performance.now() })
    this.#rotation = new Rotation(plan.scenarios)
    this.#hasHead = contractTerms(run.suite.contract).head !== undefined
    this.#methods = run.suite.checks.methods
  }

  metrics(): Parameters<typeof metricsText>[0] {
    return {
      isUp: this.#isUp === true,
      rules: this.#states.rules,
      verdicts: this.#verdicts,
      latency: this.#latency,
      cases: this.#context.plan.scenarios.length,
      perHour: this.#context.options.perHour,
      ...this.#counts,
    }
  }

  /** Runs rounds until the signal aborts. Returns the exit code. */
  async untilStopped(signal: AbortSignal): Promise<number> {
    const { options, output } = this.#context
    while (!signal.aborted) {
      const next = performance.now() + options.seconds * 1000
      await this.#round(signal)
      const rest = Math.max(0, next - performance.now())
      await after(rest, undefined, { signal }).catch(() => undefined)
    }
    const failing = [...this.#states.rules.values()].filter((fails) => fails).length
    const state = this.#isUp === false ? ', the service is down' : ''
    output.print([
      `concordat conform: stopped after ${numbered(this.#counts.rounds, 'round')}: ${numbered(failing, 'rule')} failing${state}`,
    ])
    if (this.#verdicts.size === 0) return 2
    return failing > 0 || this.#isUp === false ? 1 : output.hasLeaked() ? 2 : 0
  }

  async #round(signal: AbortSignal): Promise<void> {
    const { run } = this.#context
    const allowance = this.#budget.available()
    const known = new Set(this.#found.keys())
    const sample = await this.#rotation.next(
      allowance,
      this.#states.failingCases,
      async (cases) => (await planOf(run, cases, known)).total.requests,
    )
    // Without a case, a round still reads the head, which shows whether the service answers.
    if (sample.length === 0 && (!this.#hasHead || allowance === 0)) return
    const { report, trouble } = await this.#judge(sample, allowance, signal)
    if (signal.aborted) return
    this.#setUp(trouble)
    if (trouble !== undefined && this.#hasHead) this.#rotation.putBack(sample)
    if (report !== undefined) this.#take(report, trouble !== undefined)
    this.#counts.rounds++
    this.#counts.lastRound = Date.now() / 1000
    if (!this.#rotation.isComplete) return
    // The next rotation looks for new data, such as a newer block.
    this.#counts.rotations++
    this.#rotation.restart()
    this.#found.clear()
  }

  /** Runs cases. `trouble` says why the service is down; it is undefined if the service answered last. */
  async #judge(scenarios: readonly Scenario[], allowance: number, signal: AbortSignal) {
    const { run, secrets, redactor, known } = this.#context
    const sender = senderOf(run, allowance)
    let trouble: string | undefined
    const send: Sender['send'] = async (outgoing) => {
      const exchange = await sender.send(outgoing)
      const { reply, milliseconds } = exchange
      if (outgoing.url === run.target.urlFor()) trouble = troubleOf(exchange)
      if (reply !== undefined) this.#measure(outgoing.methods, milliseconds / 1000)
      return exchange
    }
    try {
      const report = await runConformance({
        ...runOptionsOf(run, secrets, redactor, known),
        scenarios,
        sender: {
          send,
          counts: () => sender.counts(),
          remaining: () => sender.remaining(),
          close: () => sender.close(),
        },
        profile: new Map(this.#found),
        onFound: (fixture, captures) => this.#found.set(fixture, captures),
        onReset: () => this.#found.clear(),
        onProgress: undefined,
        signal,
      })
      return { report, trouble }
    } catch (error) {
      if (error instanceof AccessRefused && this.#counts.rounds === 0) {
        throw new UsageError(
          `${run.target.shown} denies access (${redactor.redact(error.message)}): check the key in the URL and --header`,
        )
      }
      if (!(error instanceof Unreachable || error instanceof AccessRefused)) throw error
      return { trouble: error.message }
    } finally {
      const { billed } = sender.counts()
      this.#counts.billed += billed
      this.#budget.spend(billed)
      sender.close()
    }
  }

  #measure(methods: readonly string[] | undefined, seconds: number): void {
    if (methods === undefined) return
    const [only = ''] = methods
    const method = methods.length === 1 && this.#methods.has(only) ? only : ''
    const histogram = this.#latency.get(method) ?? new LatencyHistogram()
    this.#latency.set(method, histogram)
    histogram.add(seconds)
  }

  /** Failures of a round in which the service went away say nothing about rules. */
  #take({ cases }: Report, isDown: boolean): void {
    const own = new Set(this.#context.plan.scenarios.map(({ id }) => id))
    const judged = cases.filter(
      ({ id, verdict }) => own.has(id) && !(isDown && (verdict === 'fail' || verdict === 'no-answer')),
    )
    for (const { verdict } of judged) this.#verdicts.set(verdict, (this.#verdicts.get(verdict) ?? 0) + 1)
    for (const { rule, case: id, state, reason } of this.#states.update(judged))
      this.#print(state, `${rule}  ${id}: ${reason}`)
  }

  #setUp(trouble: string | undefined): void {
    const isUp = trouble === undefined
    if (isUp !== this.#isUp) this.#print(isUp ? 'up' : 'down', trouble ?? 'the service answers')
    this.#isUp = isUp
  }

  #print(state: string, text: string): void {
    const { redactor, output } = this.#context
    const time = new Date().toISOString().replace(/\.\d+Z$/, 'Z')
    output.print([`${time}  ${state.padEnd(9)}  ${printable(redactor.redact(text))}`])
  }
}

function troubleOf({ reply, trouble }: Awaited<ReturnType<Sender['send']>>): string | undefined {
  if (reply === undefined) return trouble?.message ?? 'no answer'
  return NOT_SERVING.has(reply.status) ? `HTTP ${reply.status}` : undefined
}
