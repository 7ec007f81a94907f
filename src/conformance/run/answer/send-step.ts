import { isArray } from '../../../contract/index.js'
import type { Checks } from '../../checks/checks.js'
import { fillExpectation } from '../../expect/fill-expectation.js'
import { matchValue } from '../../expect/match-value.js'
import type { AnsweredCall } from '../../explore/answer-coverage.js'
import { fill, type Variables } from '../../scenario/fill.js'
import type { Condition, SentStep, Tolerance } from '../../scenario/scenario.js'
import type { Send } from '../../send/exchange.js'
import type { ExchangeTrail } from '../result/evidence.js'
import { buildRequest, countOf, type RequestContext } from './build-request.js'
import { type Judgement, judgeAnswer } from './judge-answer.js'
import type { AnsweredRequest, SharedAnswers } from './shared-answers.js'

/** Context for sending and judging a step. */
export interface SendContext extends RequestContext {
  readonly send: Send
  readonly checks: Checks
  /** Rules of the case, main rule first. Empty for fixtures. */
  readonly rules: readonly string[]
  /** Records every exchange, including those of steps that end in an error. */
  readonly trail: ExchangeTrail
  /** Error codes that the contract maps to HTTP 429; undefined without `x-failures`. */
  readonly limitCodes: ReadonlySet<number> | undefined
  /** Replaces every secret in a text. */
  readonly redact: (text: string) => string
  /** Pauses for some milliseconds. Rejects when the run is stopped. */
  readonly pause: (milliseconds: number) => Promise<void>
  /** Answers shared between cases. Undefined when each case must send its own requests. */
  readonly shared?: SharedAnswers | undefined
  /** Called with every judged answer of a call. */
  readonly onAnswer?: ((call: AnsweredCall) => void) | undefined
  /** Called with the request id of a shared answer from another case. */
  readonly onSharedId?: ((id: number) => void) | undefined
}

/** Sends a step, repeats it as `repeatUntil` says, and judges the answer. */
export async function sendStep(
  step: SentStep,
  number: number,
  variables: Variables,
  context: SendContext,
): Promise<Judgement> {
  const { repeatUntil } = step
  const times = repeatUntil === undefined ? 1 : countOf(repeatUntil.atMost, variables)
  let last: Judgement | undefined
  for (let time = 0; time < times; time++) {
    if (time > 0 && repeatUntil && repeatUntil.every > 0) await context.pause(repeatUntil.every * 1000)
    const claim = await context.shared?.claim(sharedCall(step, variables, context))
    let answered = claim?.answered
    if (answered === undefined) {
      try {
        const request = buildRequest(step, variables, context, looksForLimit(step, variables, context))
        const exchange = await context.send(request.outgoing)
        context.trail.add({ step: number, exchange })
        answered = { request, exchange }
      } finally {
        claim?.settle(answered)
      }
    } else recordShared(answered, number, context)
    const judge = judgeOf(answered, step, variables, context)
    if (repeatUntil === undefined) return told(judge(step), answered, context)
    const waited = judge({ expect: repeatUntil.expect })
    if (waited.kind === 'pass' || waited.kind === 'tolerated') return told(judge(step), answered, context)
    if (waited.kind !== 'fail') return waited
    // Answers before the expected one must still comply with the contract.
    const plain = judge({})
    if (plain.kind === 'fail') return plain
    last = waited
  }
  return neverCame(last, times, context)
}

/** Reports the answers of a judged step, also those of a batch. */
function told(judgement: Judgement, { request }: AnsweredRequest, { onAnswer }: SendContext): Judgement {
  const json = 'view' in judgement ? judgement.view?.json : undefined
  if (onAnswer === undefined || json === undefined) return judgement
  const answers = isArray(json) ? json : [json]
  for (const [at, answer] of answers.entries()) {
    const call = request.calls?.[at]
    onAnswer({ method: call?.method, params: call?.params, answer })
  }
  return judgement
}

/** Failure of a step that used up its repetitions. */
function neverCame(last: Judgement | undefined, times: number, { rules }: SendContext): Judgement {
  const expected = `the expected answer within ${times} attempts`
  const findings = last?.kind === 'fail' ? last.findings : []
  return {
    kind: 'fail',
    view: undefined,
    findings: [{ where: 'repeat-until', expected, got: 'none' }, ...findings],
    cause: `${rules[0] ?? 'no rule'} repeat-until`,
    breaksContract: false,
  }
}

/** Cache key of a shared answer; undefined when the step does not share its answer. */
function sharedCall(step: SentStep, variables: Variables, context: SendContext): string | undefined {
  if (step.kind === 'raw' || !step.share) return undefined
  const { calls = [] } = buildRequest(step, variables, { ...context, nextId: () => 0 }, false)
  return JSON.stringify([step.kind, calls])
}

/** Records a shared answer as evidence of this case. Only the case that sent the request is billed. */
function recordShared({ request, exchange }: AnsweredRequest, number: number, context: SendContext): void {
  for (const { id } of request.calls ?? []) context.onSharedId?.(Number(id))
  context.trail.add({ step: number, exchange, isShared: true })
}

/** Judges one answer against the given expectations. */
type Judge = (expected: Partial<Pick<SentStep, 'expect' | 'tolerate' | 'inconclusive'>>) => Judgement

function judgeOf(
  { request, exchange }: AnsweredRequest,
  step: SentStep,
  variables: Variables,
  context: SendContext,
): Judge {
  const { rules, checks, limitCodes, redact } = context
  const filled = (list: readonly Tolerance[] = []) =>
    list
      .filter(({ onlyIf }) => onlyIf === undefined || isTrue(onlyIf, variables, checks))
      .map(({ expect, reason }) => ({ expect: fillExpectation(expect, variables), reason }))
  return ({ expect, tolerate, inconclusive }) =>
    judgeAnswer(request, exchange, {
      expect: fillExpectation(expect ?? {}, variables),
      tolerate: filled(tolerate),
      inconclusive: filled(inconclusive),
      isBatch: step.kind === 'batch',
      ...{ rules, checks, limitCodes, redact },
    })
}

/** True when some expectation of the step matches status 429 or 503. */
function looksForLimit(step: SentStep, variables: Variables, { checks }: SendContext): boolean {
  const exceptions = [...step.tolerate, ...step.inconclusive].map(({ expect }) => expect)
  const expectations = [step.expect, step.repeatUntil?.expect, ...exceptions]
  return expectations.some((expectation) => {
    if (expectation?.status === undefined) return false
    const { status } = fillExpectation({ status: expectation.status }, variables)
    return [429, 503].some((code) => matchValue(status ?? null, code, 'status', checks.schema).length === 0)
  })
}

/** True when a captured value satisfies a condition. */
export function isTrue({ value, is }: Condition, variables: Variables, checks: Checks): boolean {
  const { result: expected = null } = fillExpectation({ result: is }, variables)
  return matchValue(expected, fill(value, variables), '', checks.schema).length === 0
}
