import type { Contract } from '../../contract/index.js'
import { contractTerms } from '../run/plan/contract-terms.js'
import type { CallForm, CallStep, Scenario, SentStep, Step } from '../scenario/scenario.js'
import { sentSteps } from '../scenario/sent-steps.js'
import type { Target } from '../send/target.js'
import { discovery, formHeaders } from './call-form.js'
import { requestForms } from './request-forms.js'

/**
 * Returns the function that gives a case other forms for each repetition: another path, compression, the second key, and
 * each call after the same call in a batch. The first repetition differs in everything. Cases about a key, a path or
 * headers stay as they are.
 */
export function repetitionForms(
  contract: Contract,
  { facts, transport }: Pick<Target, 'facts' | 'transport'>,
): (scenario: Scenario, time: number) => Scenario {
  if (transport !== 'http') return (scenario) => scenario
  const requests = requestForms(facts.has('key') ? contractTerms(contract).paths : []).toReversed()
  return (scenario, time) => {
    const form = requests[Math.floor((time - 2) / 2) % requests.length]
    if (form === undefined || !canVary(scenario)) return scenario
    const own = { ...form, key: facts.has(`${form.key}-key`) ? form.key : undefined }
    const inForm = (step: SentStep): SentStep => {
      if (step.kind === 'call') {
        const isInBatch = time % 2 === 0 && canFollowItself(step)
        return { ...step, share: false, form: isInBatch ? afterItself(step, own) : own }
      }
      return { ...step, path: own.path, key: own.key, headers: { ...step.headers, ...formHeaders(own) } }
    }
    const steps = scenario.steps.map((step): Step => {
      if (step.kind === 'parallel') return { ...step, steps: step.steps.map(inForm) }
      return step.kind === 'call' || step.kind === 'batch' || step.kind === 'raw' ? inForm(step) : step
    })
    return { ...scenario, steps }
  }
}

/** Gives each generated case that only reads a form by its number. */
export function withExploredForms(contract: Contract, scenarios: readonly Scenario[]): readonly Scenario[] {
  const requests = requestForms(contractTerms(contract).paths)
  return scenarios.map((scenario) => {
    if (!canVary(scenario)) return scenario
    const number = Number(/\d+$/.exec(scenario.id)?.[0] ?? 0)
    const formOf = (at: number) => requests[(number + at) % requests.length]
    const steps = scenario.steps.map(
      (step, at): Step => (step.kind === 'call' ? { ...step, form: formOf(at) } : step),
    )
    return { ...scenario, steps }
  })
}

function canFollowItself({ call, expect }: CallStep): boolean {
  return call.method !== discovery && call.id === undefined && expect?.status === undefined
}

function afterItself({ call }: CallStep, form: CallForm): CallForm {
  return { ...form, batch: { items: [call, call], position: 1, isOfOtherCase: false } }
}

/** True for a case whose requests may travel in any form. */
function canVary({ effect, alone, steps }: Scenario): boolean {
  return (
    effect === 'read' &&
    alone !== true &&
    sentSteps(steps).every(
      ({ headers, verb, path, key, expect, captureHeader }) =>
        Object.keys({ ...headers, ...captureHeader }).length === 0 &&
        [verb, path, key, expect?.headers, expect?.within].every((part) => part === undefined),
    )
  )
}
