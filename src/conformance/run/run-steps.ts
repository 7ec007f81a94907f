import { isObject, type JsonValue, member } from '../../contract/index.js'
import type { Checks } from '../checks/checks.js'
import { describe } from '../expect/describe.js'
import { fillExpectation } from '../expect/fill-expectation.js'
import { matchValue } from '../expect/match-value.js'
import type { ReplyView } from '../expect/reply-view.js'
import { capture } from '../scenario/capture.js'
import { fill, type Variables } from '../scenario/fill.js'
import type { ComputeStep, Expectation, Step, Tolerance } from '../scenario/scenario.js'
import { ScenarioRunError } from '../scenario/scenario-run-error.js'
import type { Send } from '../send/exchange.js'
import { TargetError } from '../send/target-error.js'
import { buildRequest, countOf, type RequestContext } from './build-request.js'
import { causeOf } from './cause.js'
import type { ExchangeTrail } from './evidence.js'
import { type Judgement, judgeAnswer } from './judge-answer.js'
import { Limited } from './limited.js'
import type { Finding } from './report.js'

/** Computes a value for a scenario, such as a hash; throws for parameters that it cannot use. */
export type ComputeFunction = (params: readonly JsonValue[]) => JsonValue

/** What steps are run with. */
export interface StepsContext extends RequestContext {
  readonly send: Send
  readonly checks: Checks
  readonly functions: Readonly<Record<string, ComputeFunction>>
  /** Rules of the case, the main one first; none for a fixture. */
  readonly rules: readonly string[]
  /** Takes down every exchange, also of steps that end in an error. */
  readonly trail: ExchangeTrail
  /** Codes of the errors that the contract answers with HTTP 429; undefined where it does not say. */
  readonly limitCodes: ReadonlySet<number> | undefined
  /** Replaces every secret in a text. */
  readonly redact: (text: string) => string
}

/** How far a list of steps came. */
export type StepsOutcome =
  | {
      readonly kind: 'pass'
      /** What was captured, by name. */
      readonly captures: ReadonlyMap<string, JsonValue>
      /** Why answers were taken that the contract does not state first. */
      readonly tolerated: readonly string[]
    }
  | {
      readonly kind: 'fail'
      /** Number of the step that failed, from 1. */
      readonly step: number
      readonly findings: readonly Finding[]
      readonly cause: string
      readonly breaksContract: boolean
    }

type Failure = Extract<StepsOutcome, { kind: 'fail' }>
type SendingStep = Exclude<Step, ComputeStep>

/**
 * Runs steps one after the other until one fails; what they capture is known to those that follow.
 * @param variables what is known before
 * @throws NotSent where a request may not be sent; Limited where the service's limit is spent; ScenarioRunError where a step lacks a value
 */
export async function runSteps(
  steps: readonly Step[],
  variables: Variables,
  context: StepsContext,
): Promise<StepsOutcome> {
  const known = new Map(variables)
  const captures = new Map<string, JsonValue>()
  const tolerated: string[] = []
  for (const [index, step] of steps.entries()) {
    const number = index + 1
    const taken = await takeStep(step, number, known, context)
    if ('kind' in taken) return taken
    if (taken.tolerated !== undefined) tolerated.push(taken.tolerated)
    for (const [name, value] of Object.entries(taken.captured)) {
      known.set(name, value)
      captures.set(name, value)
    }
  }
  return { kind: 'pass', captures, tolerated }
}

/** What a step that passed leaves. */
interface Taken {
  readonly captured: Readonly<Record<string, JsonValue>>
  readonly tolerated: string | undefined
}

async function takeStep(
  step: Step,
  number: number,
  variables: Variables,
  context: StepsContext,
): Promise<Taken | Failure> {
  try {
    return await (step.kind === 'compute'
      ? computeStep(step, variables, context)
      : sendingStep(step, number, variables, context))
  } catch (cause) {
    if (!(cause instanceof ScenarioRunError || cause instanceof TargetError)) throw cause
    throw new ScenarioRunError(`step ${number}: ${cause.message}`, { cause })
  }
}

function computeStep(step: ComputeStep, variables: Variables, { functions }: StepsContext): Taken {
  const compute = Object.hasOwn(functions, step.function) ? functions[step.function] : undefined
  if (compute === undefined) {
    const known = Object.keys(functions).join(', ') || 'none'
    throw new ScenarioRunError(
      `there is no function "${step.function}" to compute with (there are: ${known})`,
    )
  }
  const value = computed(
    step.function,
    compute,
    step.params.map((param) => fill(param, variables)),
  )
  const captured: Record<string, JsonValue> = {}
  for (const [name, path] of Object.entries(step.capture)) {
    const found = capture(path, value)
    if (found === undefined) throw new ScenarioRunError(`${step.function} gave nothing at ${path}`)
    captured[name] = found
  }
  return { captured, tolerated: undefined }
}

function computed(name: string, compute: ComputeFunction, params: readonly JsonValue[]): JsonValue {
  try {
    return compute(params)
  } catch (cause) {
    throw new ScenarioRunError(`${name}: ${cause instanceof Error ? cause.message : String(cause)}`, {
      cause,
    })
  }
}

async function sendingStep(
  step: SendingStep,
  number: number,
  variables: Variables,
  context: StepsContext,
): Promise<Taken | Failure> {
  const judgement = await (step.repeatUntil === undefined
    ? sendOnce(step, number, variables, context).then((judge) => judge(step.expect, step.tolerate))
    : repeated(step, step.repeatUntil, number, variables, context))
  if (judgement.kind === 'limited') throw new Limited()
  if (judgement.kind === 'fail') {
    const { findings, cause, breaksContract } = judgement
    return { kind: 'fail', step: number, findings, cause, breaksContract }
  }
  const { captured, missing } = capturesOf(step, judgement.view)
  const [first] = missing
  if (first !== undefined) {
    const cause = causeOf([], missing, context.rules, context.redact) ?? ''
    return { kind: 'fail', step: number, findings: missing, cause, breaksContract: false }
  }
  return { captured, tolerated: judgement.kind === 'tolerated' ? judgement.reason : undefined }
}

/** Judges the answer that came by an expectation. */
type Judge = (expect: Expectation | undefined, tolerate: readonly Tolerance[]) => Judgement

async function sendOnce(
  step: SendingStep,
  number: number,
  variables: Variables,
  context: StepsContext,
): Promise<Judge> {
  const request = buildRequest(step, variables, context, looksForLimit(step, variables, context))
  const exchange = await context.send(request.outgoing)
  context.trail.add({ step: number, exchange })
  return (expect, tolerate) =>
    judgeAnswer(request, exchange, {
      expect: fillExpectation(expect ?? {}, variables),
      tolerate: tolerate.map(({ expect, reason }) => ({
        expect: fillExpectation(expect, variables),
        reason,
      })),
      isBatch: step.kind === 'batch',
      rules: context.rules,
      checks: context.checks,
      limitCodes: context.limitCodes,
      redact: context.redact,
    })
}

/** True where one of the step's expectations holds of an answer with status 429 or 503. */
function looksForLimit(step: SendingStep, variables: Variables, { checks }: StepsContext): boolean {
  const expectations = [step.expect, step.repeatUntil?.expect, ...step.tolerate.map(({ expect }) => expect)]
  return expectations.some((expectation) => {
    if (expectation?.status === undefined) return false
    const { status } = fillExpectation({ status: expectation.status }, variables)
    return [429, 503].some((code) => matchValue(status ?? null, code, 'status', checks.schema).length === 0)
  })
}

/** Sends a step until what is waited for holds; every answer before it must keep to the contract all the same. */
async function repeated(
  step: SendingStep,
  { expect, atMost }: NonNullable<SendingStep['repeatUntil']>,
  number: number,
  variables: Variables,
  context: StepsContext,
): Promise<Judgement> {
  const times = countOf(atMost, variables)
  let last: Judgement | undefined
  for (let time = 0; time < times; time++) {
    const judge = await sendOnce(step, number, variables, context)
    const waited = judge(expect, [])
    if (waited.kind === 'limited') return waited
    if (waited.kind !== 'fail') return judge(step.expect, step.tolerate)
    const plain = judge(undefined, [])
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

function capturesOf(step: SendingStep, view: ReplyView) {
  const captured: Record<string, JsonValue> = {}
  const missing: Finding[] = []
  for (const [name, path] of Object.entries(step.capture)) {
    const found = view.json === undefined ? undefined : capture(path, view.json)
    if (found !== undefined) captured[name] = found
    else missing.push({ where: path, expected: `a value to capture as "${name}"`, got: answerInWords(view) })
  }
  for (const [name, { name: header, pattern }] of Object.entries(step.captureHeader)) {
    const value = view.headers[header.toLowerCase()]
    const found = value === undefined ? undefined : new RegExp(pattern).exec(value)?.[1]
    const got = describe(value)
    if (found !== undefined) captured[name] = /^\d+$/.test(found) ? Number(found) : found
    else missing.push({ where: `header ${header}`, expected: `a value that matches /${pattern}/`, got })
  }
  return { captured, missing }
}

/** What the answer had in the place of what was looked for. */
function answerInWords({ json, status }: ReplyView): string {
  if (!isObject(json)) return `HTTP ${status} with ${describe(json, 'no JSON')}`
  const error = member(json, 'error')
  return error === undefined ? `result ${describe(member(json, 'result'))}` : `error ${describe(error)}`
}
