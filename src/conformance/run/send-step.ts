import type { Checks } from '../checks/checks.js'
import { fillExpectation } from '../expect/fill-expectation.js'
import { matchValue } from '../expect/match-value.js'
import type { Variables } from '../scenario/fill.js'
import type { BatchStep, CallStep, SentStep, Tolerance } from '../scenario/scenario.js'
import type { Send } from '../send/exchange.js'
import { buildRequest, countOf, type RequestContext } from './build-request.js'
import type { ExchangeTrail } from './evidence.js'
import { isTrue } from './is-true.js'
import { type Judgement, judgeAnswer } from './judge-answer.js'
import type { Asked, SharedAnswers } from './shared-answers.js'

/** What a step is sent and judged with. */
export interface SendContext extends RequestContext {
  readonly send: Send
  readonly checks: Checks
  /** Rules of the case, the main one first; none for a fixture. */
  readonly rules: readonly string[]
  /** Takes down every exchange, also of steps that end in an error. */
  readonly trail: ExchangeTrail
  /** Codes of the errors that the contract answers with HTTP 429; undefined where it does not say. */
  readonly limitCodes: ReadonlySet<number> | undefined
  /** Replaces every secret in a text. */
  readonly redact: (text: string) => string
  /** Resolves after some milliseconds; rejects once the run is stopped. */
  readonly pause: (milliseconds: number) => Promise<void>
  /** Answers that cases of the run share; undefined where each asks for itself. */
  readonly shared?: SharedAnswers | undefined
  /** Told of the id of a request that another case has sent, whose answer is shared. */
  readonly onSharedId?: ((id: number) => void) | undefined
}

/** Judges the answer that came by what a step expects of it. */
type Judge = (expected: Partial<Pick<SentStep, 'expect' | 'tolerate' | 'inconclusive'>>) => Judgement

/** Sends a step, or again and again until what it waits for holds, and judges what came. */
export async function sendStep(
  step: SentStep,
  number: number,
  variables: Variables,
  context: SendContext,
): Promise<Judgement> {
  if (step.repeatUntil !== undefined) return repeated(step, step.repeatUntil, number, variables, context)
  const judge = await sendOnce(step, number, variables, context)
  return judge(step)
}

async function sendOnce(
  step: SentStep,
  number: number,
  variables: Variables,
  context: SendContext,
): Promise<Judge> {
  const { request, exchange } = await (step.kind !== 'raw' && step.share
    ? askShared(step, number, variables, context)
    : ask(step, number, variables, context))
  const filled = (list: readonly Tolerance[]) =>
    list
      .filter(({ onlyIf }) => onlyIf === undefined || isTrue(onlyIf, variables, context.checks))
      .map(({ expect, reason }) => ({ expect: fillExpectation(expect, variables), reason }))
  return ({ expect, tolerate, inconclusive }) =>
    judgeAnswer(request, exchange, {
      expect: fillExpectation(expect ?? {}, variables),
      tolerate: filled(tolerate ?? []),
      inconclusive: filled(inconclusive ?? []),
      isBatch: step.kind === 'batch',
      rules: context.rules,
      checks: context.checks,
      limitCodes: context.limitCodes,
      redact: context.redact,
    })
}

async function ask(
  step: SentStep,
  number: number,
  variables: Variables,
  context: SendContext,
): Promise<Asked> {
  const request = buildRequest(step, variables, context, looksForLimit(step, variables, context))
  const exchange = await context.send(request.outgoing)
  context.trail.add({ step: number, exchange })
  return { request, exchange }
}

/** Asks what no other case has asked; the evidence of what was asked before is its own, and it costs nothing. */
async function askShared(
  step: CallStep | BatchStep,
  number: number,
  variables: Variables,
  context: SendContext,
): Promise<Asked> {
  const { shared } = context
  if (shared === undefined) return ask(step, number, variables, context)
  const { calls = [] } = buildRequest(step, variables, { ...context, nextId: () => 0 }, false)
  const call = JSON.stringify([step.kind, calls])
  const { asked, isFirst } = await shared.of(call, () => ask(step, number, variables, context))
  if (!isFirst) {
    for (const { id } of asked.request.calls ?? []) context.onSharedId?.(Number(id))
    context.trail.add({ step: number, exchange: asked.exchange, isShared: true })
  }
  return asked
}

/** True where one of the step's expectations holds of an answer with status 429 or 503. */
function looksForLimit(step: SentStep, variables: Variables, { checks }: SendContext): boolean {
  const exceptions = [...step.tolerate, ...step.inconclusive].map(({ expect }) => expect)
  const expectations = [step.expect, step.repeatUntil?.expect, ...exceptions]
  return expectations.some((expectation) => {
    if (expectation?.status === undefined) return false
    const { status } = fillExpectation({ status: expectation.status }, variables)
    return [429, 503].some((code) => matchValue(status ?? null, code, 'status', checks.schema).length === 0)
  })
}

/** Sends a step until what is waited for holds; every answer before it must keep to the contract all the same. */
async function repeated(
  step: SentStep,
  { expect, atMost, every }: NonNullable<SentStep['repeatUntil']>,
  number: number,
  variables: Variables,
  context: SendContext,
): Promise<Judgement> {
  const times = countOf(atMost, variables)
  let last: Judgement | undefined
  for (let time = 0; time < times; time++) {
    if (time > 0 && every > 0) await context.pause(every * 1000)
    const judge = await sendOnce(step, number, variables, context)
    const waited = judge({ expect })
    if (waited.kind !== 'pass' && waited.kind !== 'tolerated' && waited.kind !== 'fail') return waited
    if (waited.kind !== 'fail') return judge(step)
    const plain = judge({})
    if (plain.kind === 'fail') return plain
    last = waited
  }
  const findings = last?.kind === 'fail' ? last.findings : []
  return {
    kind: 'fail',
    view: undefined,
    findings: [
      {
        where: 'repeat-until',
        expected: `an answer as it is waited for, within ${times} times`,
        got: 'none',
      },
      ...findings,
    ],
    cause: `${context.rules[0] ?? 'no rule'} repeat-until`,
    breaksContract: false,
  }
}
