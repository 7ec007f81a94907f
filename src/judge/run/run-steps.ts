import { isObject, type JsonValue, member } from '../../toolkit/contract/index.js'
import { fillExpectation } from '../expect/fill-expectation.js'
import { matchValue } from '../expect/match-value.js'
import { causeOf } from '../oracles/answer/cause.js'
import { type Deviation, describe, type Finding, type ViolatedRule } from '../report/index.js'
import { capture } from '../scenario/capture.js'
import type { ComputeFunction } from '../scenario/compute-function.js'
import { fill, type Variables } from '../scenario/fill.js'
import type { ComputeStep, ParallelStep, SentStep, SkipStep, Step } from '../scenario/scenario.js'
import { BelowZero, ScenarioRunError } from '../scenario/scenario-run-error.js'
import type { ReplyView } from '../send/reply-view.js'
import { TargetError } from '../send/target-error.js'
import { CaseEnded } from './case-ended.js'
import { type LawContext, type LawOutcome, lawStep } from './law-step.js'
import { type Decided, isTrue, sendStep } from './send-step.js'

/** Context for running steps. */
export interface StepsContext extends LawContext {
  readonly functions: Readonly<Record<string, ComputeFunction>>
}

/** Outcome of a list of steps. */
export type StepsOutcome =
  | {
      readonly kind: 'pass'
      /** Captured values, by name. */
      readonly captures: ReadonlyMap<string, JsonValue>
      /** Reasons for accepting tolerated answers. */
      readonly tolerated: readonly string[]
      /** Answers that could deviate for a cause that varies. */
      readonly deviations: readonly Deviation[]
    }
  /** The case does not apply to this target. */
  | { readonly kind: 'skip'; readonly reason: string }
  | {
      readonly kind: 'fail'
      /** Number of the step that failed, from 1. */
      readonly step: number
      readonly findings: readonly Finding[]
      readonly cause: string
      /** Set if a rule for every answer is the cause. */
      readonly violated?: ViolatedRule | undefined
      readonly breaksContract: boolean
    }

type Ended = Exclude<StepsOutcome, { kind: 'pass' }>

/**
 * Runs steps in order until one fails. Later steps can use captured values.
 * @param variables variables already known the first step
 * @throws NotSent when a request may not be sent
 * @throws CaseEnded for a missing answer, or one that proves nothing
 * @throws ScenarioRunError when a step lacks a value
 */
export async function runSteps(
  steps: readonly Step[],
  variables: Variables,
  context: StepsContext,
): Promise<StepsOutcome> {
  const known = new Map(variables)
  const captures = new Map<string, JsonValue>()
  const tolerated: string[] = []
  const deviations: Deviation[] = []
  for (const [index, step] of steps.entries()) {
    const number = index + 1
    let taken: Taken | Ended
    try {
      if (step.kind === 'compute') taken = computeStep(step, number, known, context)
      else if (step.kind === 'skip') taken = skipStep(step, known, context)
      else if (step.kind === 'law') taken = takenFromLaw(await lawStep(step, context))
      else if (step.kind === 'parallel') taken = await parallelStep(step, number, known, context)
      else taken = takenFrom(step, number, await sendStep(step, number, known, context), context)
    } catch (error) {
      throw errorOfStep(error, number)
    }
    if ('kind' in taken) return taken
    tolerated.push(...taken.tolerated)
    deviations.push(...taken.deviations)
    for (const [name, value] of Object.entries(taken.captured)) {
      known.set(name, value)
      captures.set(name, value)
    }
    if (taken.isLast) break
  }
  return { kind: 'pass', captures, tolerated, deviations }
}

/** Result of a step that passed. */
interface Taken {
  readonly captured: Readonly<Record<string, JsonValue>>
  readonly tolerated: readonly string[]
  readonly deviations: readonly Deviation[]
  /** True if the case ends with this step. */
  readonly isLast?: boolean
}

const nothingTaken: Taken = { captured: {}, tolerated: [], deviations: [] }

/** Adds the step number to errors caused by the scenario. */
function errorOfStep(cause: unknown, number: number): unknown {
  if (!(cause instanceof ScenarioRunError || cause instanceof TargetError)) return cause
  const message = `step ${number}: ${cause.message}`
  return cause instanceof BelowZero
    ? new CaseEnded('not-applicable', message)
    : new ScenarioRunError(message, { cause })
}

function computeStep(
  step: ComputeStep,
  number: number,
  variables: Variables,
  { functions, checks, rules, redact }: StepsContext,
): Taken | Ended {
  const compute = Object.hasOwn(functions, step.function) ? functions[step.function] : undefined
  if (compute === undefined) {
    const known = Object.keys(functions).join(', ') || 'none'
    throw new ScenarioRunError(`unknown function "${step.function}" (available: ${known})`)
  }
  const value = computed(
    step.function,
    compute,
    step.params.map((param) => fill(param, variables)),
  )
  const { result: expected } = fillExpectation(step.expect ?? {}, variables)
  const findings =
    expected === undefined ? [] : matchValue(expected, value, `/${step.function}`, checks.schema)
  if (findings.length > 0) {
    const cause = causeOf([], findings, rules, redact) ?? ''
    return { kind: 'fail', step: number, findings, cause, breaksContract: false }
  }
  const captured: Record<string, JsonValue> = {}
  for (const [name, path] of Object.entries(step.capture)) {
    const found = capture(path, value)
    if (found === undefined) throw new ScenarioRunError(`${step.function} returned nothing at ${path}`)
    captured[name] = found
  }
  return { ...nothingTaken, captured }
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

function takenFromLaw(outcome: LawOutcome): Taken | Ended {
  return outcome.kind === 'pass' ? nothingTaken : outcome
}

function skipStep(step: SkipStep, variables: Variables, { checks }: StepsContext): Taken | Ended {
  if (isTrue(step, variables, checks)) return nothingTaken
  return { kind: 'skip', reason: step.reason }
}

/** Sends all requests concurrently and reports the first failure in the order of the steps. */
async function parallelStep(
  { steps }: ParallelStep,
  number: number,
  variables: Variables,
  context: StepsContext,
): Promise<Taken | Ended> {
  const outcomes = await Promise.allSettled(
    steps.map(async (step) =>
      takenFrom(step, number, await sendStep(step, number, variables, context), context),
    ),
  )
  const failed = outcomes.find(({ status }) => status === 'rejected')
  if (failed?.status === 'rejected') throw failed.reason
  const taken = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []))
  const passed: Taken[] = []
  for (const one of taken) {
    if ('kind' in one) return one
    passed.push(one)
  }
  return {
    captured: Object.assign({}, ...passed.map(({ captured }) => captured)) as Taken['captured'],
    tolerated: passed.flatMap(({ tolerated }) => tolerated),
    deviations: passed.flatMap(({ deviations }) => deviations),
  }
}

/** Converts the judgement of a sent step into captured values or a failure. */
function takenFrom(step: SentStep, number: number, judgement: Decided, context: StepsContext): Taken | Ended {
  if (judgement.kind === 'fail') {
    const { findings, cause, violated, breaksContract } = judgement
    return { kind: 'fail', step: number, findings, cause, violated, breaksContract }
  }
  const { captured, missing } = capturesOf(step, judgement.view)
  const mayEnd = step.kind === 'call' ? step.mayEnd : undefined
  const hasNull = mayEnd === 'null' && Object.values(captured).includes(null)
  const isLast = mayEnd !== undefined && (missing.length > 0 || hasNull)
  const [first] = missing
  if (first !== undefined && !isLast) {
    const cause = causeOf([], missing, context.rules, context.redact) ?? ''
    return { kind: 'fail', step: number, findings: missing, cause, breaksContract: false }
  }
  return {
    captured,
    tolerated: judgement.kind === 'tolerated' ? [judgement.reason] : [],
    deviations: deviationsOf(step, number, judgement),
    isLast,
  }
}

/** The deviation of an answer, if the step tolerates one for a cause that varies. */
function deviationsOf({ tolerate }: SentStep, step: number, judgement: Decided): readonly Deviation[] {
  const causes = tolerate.map(({ dependsOn }) => dependsOn)
  const isTolerated = judgement.kind === 'tolerated'
  const dependsOn = isTolerated ? judgement.dependsOn : causes.find((cause) => cause !== 'implementation')
  if (dependsOn === undefined || dependsOn === 'implementation') return []
  const suspect = isTolerated && judgement.isSuspect ? { isSuspect: true } : {}
  return [{ step, dependsOn, ...(isTolerated && { by: judgement.deviation }), ...suspect }]
}

function capturesOf(step: SentStep, view: ReplyView) {
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

/** Describes the answer in which a capture was missing. */
function answerInWords({ json, status }: ReplyView): string {
  if (!isObject(json)) return `HTTP ${status} with ${describe(json, 'no JSON')}`
  const error = member(json, 'error')
  return error === undefined ? `result ${describe(member(json, 'result'))}` : `error ${describe(error)}`
}
