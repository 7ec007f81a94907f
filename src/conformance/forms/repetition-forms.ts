import type { Contract } from '../../contract/index.js'
import { contractTerms } from '../run/plan/contract-terms.js'
import type { CallForm, CallStep, Scenario, Step } from '../scenario/scenario.js'
import { sentSteps } from '../scenario/sent-steps.js'
import { requestForms } from './request-forms.js'

/** OpenRPC's method, which services may answer once in a batch. */
const discovery = 'rpc.discover'

/**
 * Returns the function that gives the calls of a case another form for each repetition: another path, compression, the
 * second key, and after the same call in a batch. The first repetition differs in everything. Cases about a key, a path,
 * headers or a status stay as they are.
 */
export function repetitionForms(contract: Contract): (scenario: Scenario, time: number) => Scenario {
  const requests = requestForms(contractTerms(contract).paths).toReversed()
  return (scenario, time) => {
    if (!canVary(scenario)) return scenario
    const steps = scenario.steps.map((step): Step => {
      if (step.kind !== 'call') return step
      const form = requests[Math.floor((time - 2) / 2) % requests.length]
      const isInBatch = time % 2 === 0 && step.call.method !== discovery
      return form ? { ...step, share: false, form: isInBatch ? afterItself(step, form) : form } : step
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

function afterItself({ call }: CallStep, form: CallForm): CallForm {
  return { ...form, batch: { items: [call, call], position: 1, isOfOtherCase: false } }
}

/** True for a case whose calls may travel in any form. */
function canVary({ effect, alone, steps }: Scenario): boolean {
  return (
    effect === 'read' &&
    alone !== true &&
    sentSteps(steps).every(
      ({ headers, verb, path, key, expect, captureHeader, ...step }) =>
        step.kind !== 'raw' &&
        !(step.kind === 'call' && step.call.id !== undefined) &&
        Object.keys({ ...headers, ...captureHeader }).length === 0 &&
        [verb, path, key, expect?.status, expect?.headers, expect?.within].every(
          (part) => part === undefined,
        ),
    )
  )
}
