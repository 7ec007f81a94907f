import { isObject, type JsonValue } from '../../../toolkit/contract/index.js'
import { isTest } from '../../expect/matcher.js'
import type { Expectation, SentStep, Step, Tolerance } from '../../scenario/scenario.js'
import type { PlacedProblem } from './check-steps.js'
import { narrows, narrowsHeader, narrowsStatus } from './narrows.js'

/**
 * Rejects a case that cannot fail: its expectations accept every response, or only repeat the automatic
 * checks (JSON, envelope, id, result schema, declared errors). A tolerance that accepts everything is
 * rejected too, because it would make its step accept everything.
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
  if (sent.some(({ step }) => stepStatesMore(step)) || steps.some(computesExpected)) return tolerances
  return [...tolerances, { pointer: '#/scenario', part: 'name', message: `this case accepts ${EVERYTHING}` }]
}

const EVERYTHING =
  'every answer that conforms to the contract; expect a value, null, an error, a status other than 200 or a matcher that excludes values'

/** Returns the sending steps, including those in `parallel`. Skip conditions are not assertions. */
function sentSteps(step: Step, pointer: string): readonly { step: SentStep; pointer: string }[] {
  if (step.kind === 'compute' || step.kind === 'skip' || step.kind === 'law') return []
  if (step.kind !== 'parallel') return [{ step, pointer }]
  return step.steps.map((one, at) => ({ step: one, pointer: `${pointer}/parallel/${at}` }))
}

/** A function returns the same value for the same parameters, so these must come from an answer to be able to differ. */
function computesExpected(step: Step): boolean {
  if (step.kind !== 'compute' || step.expect?.result === undefined) return false
  return narrows(step.expect.result) && JSON.stringify([step.params, step.expect]).includes('${')
}

function stepStatesMore(step: SentStep): boolean {
  const until = step.repeatUntil?.expect
  if (until !== undefined && statesMore(until, step.kind)) return true
  return (
    step.expect !== undefined && statesMore(step.expect, step.kind) && !isUndone(step.expect, step.tolerate)
  )
}

/**
 * Returns true if the tolerances accept what the expectation excludes: for example, null is expected, and
 * both any other value and any error are tolerated.
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

/** Returns the expected result if the expectation has nothing else. */
function onlyResult(expectation: Expectation): JsonValue | undefined {
  return Object.keys(expectation).length === 1 ? expectation.result : undefined
}

/** Returns true if the expectation rejects some response that passes the automatic checks. */
function statesMore(expectation: Expectation, kind: 'call' | 'batch' | 'raw'): boolean {
  const { result, error, status, headers, id, items, body, within, accepted } = expectation
  return (
    within !== undefined ||
    accepted !== undefined ||
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

/** `jsonrpc` and the id are checked automatically, except the id of raw bytes, which is unknown. */
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
