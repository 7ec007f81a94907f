import {
  type Contract,
  isObject,
  type JsonObject,
  type JsonValue,
  member,
  parseJson,
} from '../../toolkit/contract/index.js'
import type { Checks } from '../checks/checks.js'
import { formHeaders, formPlace, formWords } from '../forms/call-form.js'
import type { CaseResult, GeneratedCase } from '../report/index.js'
import type { CallForm, CallTemplate, Scenario } from '../scenario/scenario.js'
import { runDefaults } from '../terms/run-defaults.js'
import { shrinkCase } from './shrink-case.js'

/** Context for shrinking the failures of a run. */
export interface FailureContext {
  readonly contract: Contract
  readonly checks: Checks
  readonly signal: AbortSignal | undefined
  readonly run: (scenario: Scenario) => Promise<CaseResult>
}

/**
 * Shrinks the first failing generated case of each cause. Its result is replaced by that of the smallest case
 * that fails in the same way. The result of each generated case gets the case itself.
 */
export async function shrinkFailures(
  scenarios: readonly Scenario[],
  results: readonly CaseResult[],
  { contract, checks, signal, run }: FailureContext,
): Promise<readonly CaseResult[]> {
  const explored = new Map(scenarios.flatMap((one) => (one.explored ? [[one.id, one] as const] : [])))
  const causes = new Set<string>()
  const shrunk = new Map<string, CaseResult>()
  for (const result of results) {
    const scenario = explored.get(result.id)
    const { cause } = result
    if (scenario === undefined || result.verdict !== 'fail' || cause === undefined || causes.has(cause))
      continue
    if (causes.size === runDefaults.shrunkCauses || signal?.aborted === true) break
    causes.add(cause)
    const found = await shrinkCase(scenario, result, {
      contract,
      checks,
      requests: runDefaults.shrinkRequests,
      run,
    })
    const generated = {
      case: caseDocument(found.scenario),
      ...failingForm(found.scenario, found.result),
      shrunkIn: found.requests,
    }
    shrunk.set(result.id, { ...found.result, generated })
  }
  return results.map((result) => {
    const scenario = explored.get(result.id)
    if (scenario === undefined) return result
    return shrunk.get(result.id) ?? { ...result, generated: { case: caseDocument(scenario) } }
  })
}

/** Returns a generated case in the form of a case file. */
function caseDocument({ id, scenario, effect, followsHead, steps }: Scenario): JsonObject {
  return {
    id,
    scenario,
    effect,
    ...(followsHead ? { 'follows-head': true } : {}),
    steps: steps.flatMap((step): readonly JsonValue[] => {
      if (step.kind !== 'call' && step.kind !== 'batch') return []
      const sent = step.kind === 'call' ? callDocument(step.call) : { batch: step.items.map(callDocument) }
      const capture = Object.keys(step.capture).length > 0 ? { capture: step.capture } : {}
      return [
        { ...sent, ...capture, ...(step.expect === undefined ? {} : { expect: step.expect as JsonObject }) },
      ]
    }),
  }
}

/** Returns the members that send the last call in its form, if it fails only there. */
function failingForm(
  { steps }: Scenario,
  { findings: [first], evidence }: CaseResult,
): Pick<GeneratedCase, 'form'> {
  const last = steps.at(-1)
  if (first?.where !== formPlace || last?.kind !== 'call' || last.form === undefined) return {}
  // A run without paths or without a second key sends the call without them.
  const words = evidence.at(-1)?.form?.split(', ') ?? []
  const { path, key, spelling } = last.form
  const body = spelling === undefined ? undefined : parseJson(evidence.at(-1)?.request.body ?? '')
  const params = isObject(body) ? member(body, 'params') : undefined
  const isPart = (part: Partial<CallForm>) => words.includes(formWords({ ...plainForm, ...part }))
  return {
    form: {
      ...(isPart({ path }) && { path }),
      ...(isPart({ key }) && { key }),
      ...(last.form.acceptsGzip && { headers: formHeaders(last.form) }),
      ...(params !== undefined && { params }),
    } as JsonObject,
  }
}

const plainForm: CallForm = { path: undefined, acceptsGzip: false, key: undefined, batch: undefined }

function callDocument({ method, params = [] }: CallTemplate): JsonObject {
  return { call: method, params }
}
