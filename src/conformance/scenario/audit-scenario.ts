import { isObject, type JsonValue } from '../../contract/index.js'
import { isTest } from '../expect/matcher.js'
import type { PlacedProblem } from './check-steps.js'
import { narrows, narrowsHeader, narrowsStatus } from './narrows.js'
import type { Expectation, SentStep, Step, Tolerance } from './scenario.js'

/**
 * Refuses a case that could not fail: one whose expectations accept every answer, or only repeat what is checked of
 * every answer anyway (JSON, envelope, id, the contract's schema of the result, errors that the method declares).
 * A tolerance that accepts everything would make its step accept everything, and is refused by itself.
 */
export function auditScenario(steps: readonly Step[]): readonly PlacedProblem[] {
  const sent = steps.flatMap((step, at) => sentSteps(step, `#/steps/${at}`))
  const tolerances = sent.flatMap(({ step, pointer }) =>
    (['tolerate', 'inconclusive'] as const).flatMap((name) =>
      step[name].flatMap(({ expect }, index) => {
        if (statesMore(expect, step.kind)) return []
        return [{ pointer: `${pointer}/${name}/${index}/expect`, message: `this tolerates ${EVERYTHING}` }]
      }),
    ),
  )
  if (sent.some(({ step }) => stepStatesMore(step))) return tolerances
  return [...tolerances, { pointer: '#/scenario', part: 'name', message: `this case accepts ${EVERYTHING}` }]
}

const EVERYTHING =
  'every answer that keeps to the contract; expect a value, null, an error, a status other than 200 or a test that narrows'

/** The steps that send, those of `parallel` included; what a case skips by is no assertion. */
function sentSteps(step: Step, pointer: string): readonly { step: SentStep; pointer: string }[] {
  if (step.kind === 'compute' || step.kind === 'skip') return []
  if (step.kind !== 'parallel') return [{ step, pointer }]
  return step.steps.map((one, at) => ({ step: one, pointer: `${pointer}/parallel/${at}` }))
}

function stepStatesMore(step: SentStep): boolean {
  const until = step.repeatUntil?.expect
  if (until !== undefined && statesMore(until, step.kind)) return true
  return (
    step.expect !== undefined && statesMore(step.expect, step.kind) && !isUndone(step.expect, step.tolerate)
  )
}

/**
 * Whether tolerances take what the expectation excludes: null is expected, and anything but null tolerated, any error
 * perhaps too.
 */
function isUndone(expectation: Expectation, tolerate: readonly Tolerance[]): boolean {
  const all = [expectation, ...tolerate.map(({ expect }) => expect)]
  const results = all.filter((one) => !isAnyError(one)).map(onlyResult)
  return (
    results.length > 1 && results.every((result) => result !== undefined) && !narrows({ '$one-of': results })
  )
}

function isAnyError({ error, ...others }: Expectation): boolean {
  return error !== undefined && Object.keys(error).length === 0 && Object.keys(others).length === 0
}

/** The result that is expected, where nothing else is. */
function onlyResult(expectation: Expectation): JsonValue | undefined {
  return Object.keys(expectation).length === 1 ? expectation.result : undefined
}

/** Whether some answer that passes all that is checked anyway is refused. */
function statesMore(expectation: Expectation, kind: 'call' | 'batch' | 'raw'): boolean {
  const { result, error, status, headers, id, items, body, within } = expectation
  return (
    within !== undefined ||
    error !== undefined ||
    (result !== undefined && narrows(result)) ||
    (status !== undefined && narrowsStatus(status, kind === 'raw')) ||
    Object.values(headers ?? {}).some(narrowsHeader) ||
    (id !== undefined && kind === 'raw') ||
    (items ?? []).some((item) => statesMore(item, kind)) ||
    (items !== undefined && kind === 'raw') ||
    (body !== undefined && narrowsBody(body, kind === 'raw'))
  )
}

/** `jsonrpc` and the id are checked of every answer; the id of raw bytes is not known. */
function narrowsBody(body: JsonValue, raw: boolean): boolean {
  if (!isTest(body)) return narrows(body)
  const { $has, $each, ...others } = body
  if (isObject($has)) {
    const stated = Object.entries($has).filter(([name]) => name !== 'jsonrpc' && (raw || name !== 'id'))
    if (stated.some(([, value]) => narrows(value ?? null))) return true
  }
  if ($each !== undefined && narrowsBody($each, raw)) return true
  return Object.keys(others).length > 0 && narrows(others)
}
