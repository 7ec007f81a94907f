import {
  type Contract,
  isObject,
  type JsonValue,
  type LocatedSchema,
  member,
  parseJson,
} from '../../toolkit/contract/index.js'
import type { Checks } from '../checks/checks.js'
import { hasValidParams } from '../checks/valid-params.js'
import type { CaseResult } from '../report/index.js'
import type { CallStep, Scenario, Step } from '../scenario/scenario.js'
import { smallerValues } from './smaller-values.js'

/** Context for shrinking a case. */
export interface ShrinkContext {
  readonly contract: Contract
  readonly checks: Checks
  /** Maximum number of requests. */
  readonly requests: number
  readonly run: (scenario: Scenario) => Promise<CaseResult>
}

/** The smallest case found that fails with the same cause. */
export interface ShrunkCase {
  readonly scenario: Scenario
  readonly result: CaseResult
  /** Requests that shrinking took. */
  readonly requests: number
}

/**
 * Shrinks a failing generated case. Steps after the failure are dropped. Then the last call is tried alone,
 * with the values that it was sent, and steps and parts of parameters are removed while the case still fails
 * with the same cause. Valid parameters stay valid, and invalid ones invalid.
 */
export async function shrinkCase(
  scenario: Scenario,
  result: CaseResult,
  context: ShrinkContext,
): Promise<ShrunkCase> {
  let smallest = { scenario, result }
  let requests = 0
  const tried = new Set([JSON.stringify(scenario.steps)])
  for (let isSmaller = true; isSmaller; ) {
    isSmaller = false
    for (const steps of smallerCases(smallest.scenario.steps, smallest.result, context)) {
      const text = JSON.stringify(steps)
      if (tried.has(text)) continue
      if (requests + steps.length > context.requests) return { ...smallest, requests }
      tried.add(text)
      const candidate = { ...smallest.scenario, steps }
      const outcome = await context.run(candidate)
      requests += steps.length
      if (outcome.verdict !== 'fail' || outcome.cause !== result.cause) continue
      smallest = { scenario: candidate, result: outcome }
      isSmaller = true
      break
    }
  }
  return { ...smallest, requests }
}

function* smallerCases(
  steps: readonly Step[],
  { evidence }: CaseResult,
  context: ShrinkContext,
): Generator<readonly Step[]> {
  const failed = evidence.at(-1)
  const sent = steps.slice(0, failed?.step)
  if (sent.length < steps.length) yield sent
  const last = sent.at(-1)
  const literal = last?.kind === 'call' ? sentParams(failed?.request.body) : undefined
  if (sent.length > 1 && last?.kind === 'call' && literal !== undefined) {
    yield [withParams(last, escaped(literal))]
  }
  // Later steps use the captures of earlier ones, so a step can only be dropped with its captures.
  for (const [at, step] of sent.entries()) {
    const rest = sent.toSpliced(at, 1)
    if (at < sent.length - 1 && !usesCapture(step, rest)) yield rest
  }
  for (const [at, step] of sent.entries()) {
    if (step.kind !== 'call') continue
    for (const params of smallerValues(step.call.params ?? [])) {
      const smaller = withParams(step, params)
      if (isSameKind(step, smaller, context)) yield sameCallEverywhere(sent, at, step, smaller)
    }
  }
}

/** A law compares two answers to one call, so both calls change together. */
function sameCallEverywhere(
  steps: readonly Step[],
  at: number,
  step: CallStep,
  smaller: CallStep,
): readonly Step[] {
  const old = JSON.stringify([step.call.method, step.call.params])
  return steps.map((one, index) => {
    if (index === at) return smaller
    const isSame = (call: CallStep['call']) => JSON.stringify([call.method, call.params]) === old
    if (one.kind === 'call' && isSame(one.call)) return withParams(one, smaller.call.params ?? [])
    if (one.kind !== 'batch') return one
    return {
      ...one,
      items: one.items.map((item) => (isSame(item) ? { ...item, params: smaller.call.params } : item)),
    }
  })
}

function withParams(step: CallStep, params: JsonValue): CallStep {
  return { ...step, call: { ...step.call, params } }
}

function sentParams(body: string | undefined): JsonValue | undefined {
  const call = parseJson(body ?? '')
  return isObject(call) ? member(call, 'params') : undefined
}

/** Escapes the texts of sent parameters as templates. */
function escaped(value: JsonValue): JsonValue {
  return JSON.parse(JSON.stringify(value).replaceAll('${', () => '$${')) as JsonValue
}

function usesCapture(step: Step, others: readonly Step[]): boolean {
  const names = step.kind === 'call' ? Object.keys(step.capture) : []
  const text = JSON.stringify(others)
  return names.some((name) => text.includes(`\${${name}}`))
}

/** True if both calls have valid parameters, or both have invalid ones. */
function isSameKind(step: CallStep, smaller: CallStep, { contract, checks }: ShrinkContext): boolean {
  const method = contract.methods.find(({ name }) => name === step.call.method)
  if (method === undefined) return true
  // A template stands for a value of an earlier result.
  const fits = ({ pointer }: LocatedSchema, value: JsonValue) =>
    JSON.stringify(value).includes('${') || checks.schema(pointer.replaceAll('%', '%25'), value).length === 0
  const isValid = ({ call }: CallStep) => hasValidParams(method, call.params, fits)
  return isValid(step) === isValid(smaller)
}
