import { isArray } from '../../toolkit/contract/index.js'
import type { Checks } from '../checks/checks.js'
import { fillExpectation } from '../expect/fill-expectation.js'
import { matchValue } from '../expect/match-value.js'
import { formPlace } from '../forms/call-form.js'
import { type FormContext, type RefusedForm, sendInForm } from '../forms/send-in-form.js'
import { type Judgement, judgeAnswer } from '../oracles/answer/judge-answer.js'
import type { ExchangeTrail } from '../record/evidence.js'
import { buildRequest, countOf } from '../requests/build-request.js'
import { type AnsweredRequest, sharedKey } from '../requests/shared-answers.js'
import { fill, type Variables } from '../scenario/fill.js'
import type { CallForm, Condition, SentStep, Tolerance } from '../scenario/scenario.js'
import { CaseEnded } from './case-ended.js'
import type { AnsweredCall } from './result/answer-coverage.js'

/** Context for sending and judging a step. */
export interface SendContext extends FormContext {
  readonly checks: Checks
  /** Rules of the case, main rule first. Empty for fixtures. */
  readonly rules: readonly string[]
  /** Records every exchange, including those of steps that end in an error. */
  readonly trail: ExchangeTrail
  /** Replaces every secret in a text. */
  readonly redact: (text: string) => string
  /** Pauses for some milliseconds. Rejects when the run is stopped. */
  readonly pause: (milliseconds: number) => Promise<void>
  /** Called with every judged answer of a call. */
  readonly onAnswer?: ((call: AnsweredCall) => void) | undefined
}

/** A judgement that decides a step. */
export type Decided = Extract<Judgement, { kind: 'pass' | 'tolerated' | 'fail' }>

/**
 * Sends a step in its form or alone, and judges the answer.
 * @throws CaseEnded for a missing, rate-limited or inconclusive answer
 */
export async function sendStep(
  step: SentStep,
  number: number,
  variables: Variables,
  context: SendContext,
): Promise<Decided> {
  const formed =
    step.form && step.repeatUntil === undefined
      ? await sendFormed(step, step.form, number, variables, context)
      : undefined
  const judgement = formed ?? (await sendAlone(step, number, variables, context))
  refuseUnjudged(judgement, number)
  return judgement
}

const LIMITED =
  "the service's limit is spent: it stated no short time to wait, or still refused after it (--rps sends more slowly)"

/**
 * Rejects judgements that cannot decide the step.
 * @throws CaseEnded for a missing, rate-limited or inconclusive answer
 */
function refuseUnjudged(judgement: Judgement, number: number): asserts judgement is Decided {
  const at = `step ${number}: `
  switch (judgement.kind) {
    case 'no-answer': {
      const { kind, message } = judgement.trouble
      throw new CaseEnded('no-answer', `${at}${message}`, `no answer ${kind}`)
    }
    case 'limited':
      throw new CaseEnded('not-run', LIMITED, 'limit spent')
    case 'inconclusive':
      throw new CaseEnded('inconclusive', `${at}${judgement.reason}`)
  }
}

/**
 * Sends a step in its form. If it fails there, it is also sent alone. If both fail, the call is reported; otherwise
 * the form is named.
 * @returns undefined if the step must be sent alone
 */
async function sendFormed(
  step: SentStep,
  form: CallForm,
  number: number,
  variables: Variables,
  context: SendContext,
): Promise<Judgement | undefined> {
  const expectsLimit = looksForLimit(step, variables, context)
  const answered = await sendInForm(step, form, variables, context, expectsLimit)
  if (answered === undefined) return undefined
  if ('refused' in answered) return refusedForm(answered, step, number, variables, context)
  const { exchange, form: words, kind, isShared, sent, spelled } = answered
  const recorded = { step: number, exchange, form: words }
  context.trail.add({ ...recorded, isShared })
  const judgement = told(judgeOf(answered, step, variables, context)(step), answered, context)
  if (judgement.kind !== 'fail') return judgement
  const alone = await sendAlone(step, number, variables, { ...context, shared: undefined })
  if (alone.kind !== 'pass' && alone.kind !== 'tolerated') return alone
  if (spelled !== undefined && (await context.spellings?.isOutdated(spelled, context)) !== false) return alone
  const asSent = spelled && form.batch === undefined ? { ...exchange, outgoing: sent } : exchange
  context.trail.add({ ...recorded, exchange: asSent, isShared: true, sent })
  const [first] = context.rules
  return {
    ...judgement,
    findings: [
      { where: formPlace, expected: 'the answer to the same call alone', got: `another answer ${words}` },
      ...judgement.findings,
    ],
    cause: `${first ?? 'no rule'} ${kind}`,
  }
}

/**
 * Judges a form that got no answer. It is a finding if the call alone is answered as expected. Later calls are sent
 * alone.
 */
async function refusedForm(
  { refused, kind, exchange }: RefusedForm,
  step: SentStep,
  number: number,
  variables: Variables,
  context: SendContext,
): Promise<Judgement> {
  const alone = await sendAlone(step, number, variables, { ...context, shared: undefined })
  if (alone.kind !== 'pass' && alone.kind !== 'tolerated') return alone
  context.trail.add({ step: number, exchange, form: refused })
  const expected = 'the answer to the same call alone'
  return {
    kind: 'fail',
    view: undefined,
    findings: [{ where: formPlace, expected, got: `no answer ${refused}; further calls are sent alone` }],
    cause: `no answer ${kind}`,
    breaksContract: false,
  }
}

/** Sends a step alone, repeats it as `repeatUntil` says, and judges the answer. */
async function sendAlone(
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
function told(
  judgement: Judgement,
  { request, form }: AnsweredRequest & { readonly form?: string },
  { onAnswer }: SendContext,
): Judgement {
  const json = 'view' in judgement ? judgement.view?.json : undefined
  if (onAnswer === undefined || json === undefined) return judgement
  const answers = isArray(json) ? json : [json]
  for (const [at, answer] of answers.entries()) {
    const call = request.calls?.[at]
    onAnswer({ method: call?.method, params: call?.params, answer, form })
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
  return step.kind === 'raw' || !step.share ? undefined : sharedKey(step, variables, context)
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
  const { rules, limitErrors, redact } = context
  // Items from derived cases are judged by these cases.
  const isFilled = step.kind === 'batch' && step.isFilled === true && step.share
  const checks = isFilled ? { ...context.checks, result: () => [], error: () => [] } : context.checks
  const filled = (list: readonly Tolerance[] = []) =>
    list
      .filter(({ onlyIf }) => onlyIf === undefined || isTrue(onlyIf, variables, checks))
      .map((one) => ({
        ...one,
        expect: fillExpectation(one.expect, variables),
        ...(one.suspect && { suspect: fillExpectation(one.suspect, variables) }),
      }))
  return ({ expect, tolerate, inconclusive }) =>
    judgeAnswer(request, exchange, {
      expect: fillExpectation(expect ?? {}, variables),
      tolerate: filled(tolerate),
      inconclusive: filled(inconclusive),
      isBatch: step.kind === 'batch',
      ...{ rules, checks, limitErrors, redact },
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
