import type { Contract } from '../../toolkit/contract/index.js'
import type { CallForm, CallStep, CallTemplate, Scenario, SentStep, Step } from '../scenario/scenario.js'
import type { Target } from '../send/target.js'
import { callStyle } from '../terms/call-style.js'
import { contractTerms } from '../terms/contract-terms.js'
import { discovery } from './call-form.js'
import { planSpellings } from './plan-spellings.js'
import { requestForms } from './request-forms.js'
import { spellingRules } from './spellings.js'

/**
 * Returns the function that chooses the form in which a case is sent, by the number of the run (from 1): another path,
 * compression, the second key, another spelling of a parameter. A step keeps the path, the key and the headers that it states,
 * and a case about spellings keeps these.
 *
 * The first run changes only the forms of read-only cases from files, and sends no further requests. It keeps calls with
 * shared answers, comparisons with the head and parallel steps. A repetition changes every step: even runs send each call
 * as the second item of a batch, and odd runs send spaces after the body.
 * @param all all cases, including unselected ones; spellings of first runs are assigned over all of them
 */
export function repetitionForms(
  contract: Contract,
  { transport }: Pick<Target, 'transport'>,
  all: readonly Scenario[] = [],
): (scenario: Scenario, time: number) => Scenario {
  if (transport !== 'http') return (scenario) => scenario
  const { paths, head } = contractTerms(contract)
  const { isBatchable } = callStyle(contract)
  const forms = requestForms(paths)
  const ownSpellings = spellingRules(contract)
  const before = head && { method: head.method, params: [...head.params], id: undefined }
  const writing = new Set(
    contract.methods.filter(({ extensions }) => extensions['x-effect'] === 'write').map(({ name }) => name),
  )
  const isVaried = ({ origin, effect, followsHead }: Scenario) =>
    origin === 'file' && effect === 'read' && !followsHead
  const firstForm = ({ id }: Scenario, place: number) => forms.at((sumOf(id) + place) % forms.length)
  const isSpelled = ({ followsHead, rules }: Scenario) =>
    !followsHead && !rules.some((rule) => ownSpellings.has(rule))
  const plan = planSpellings(
    contract,
    all.filter((one) => isVaried(one) && isSpelled(one)),
    (step, scenario, place) => {
      const form = firstForm(scenario, place)
      return step.form !== undefined || step.share || form === undefined
        ? undefined
        : ownForm(step, form, scenario)
    },
  )
  return (scenario, time) => {
    const isFirst = time === 1
    if (isFirst && !isVaried(scenario)) return scenario
    const inForm = (step: SentStep, place: number): SentStep => {
      const form = isFirst
        ? firstForm(scenario, place)
        : forms.at((-1 - Math.floor((time - 2) / 2)) % forms.length)
      if (form === undefined || step.form !== undefined) return step
      if (isFirst && step.kind !== 'raw' && step.share) return step
      const own = ownForm(step, form, scenario)
      if (isFirst) return { ...step, form: { ...own, spelling: plan(scenario, place) } }
      // Every second call is sent as written.
      const choice = sumOf(scenario.id) + place + time
      const spelling = isSpelled(scenario) && choice % 2 === 0 ? choice / 2 : undefined
      const batch = time % 2 === 0 && step.kind === 'call' ? batchOf(step, scenario) : undefined
      const isPadded = time % 2 === 1 && canBePadded(step)
      const varied = { ...own, spelling, batch, ...(isPadded && { isPadded }) }
      return step.kind === 'call' ? { ...step, share: false, form: varied } : { ...step, form: varied }
    }
    const steps = scenario.steps.map((step, place): Step => {
      if (step.kind === 'parallel' && !isFirst)
        return { ...step, steps: step.steps.map((one) => inForm(one, place)) }
      return step.kind === 'call' || step.kind === 'batch' || step.kind === 'raw' ? inForm(step, place) : step
    })
    return { ...scenario, steps }
  }

  /** The batch in which a call follows itself, or the reading of the head if it may be sent only once. */
  function batchOf(step: CallStep, scenario: Scenario): CallForm['batch'] {
    const { call, expect } = step
    const isOnce = call.method === discovery || writing.has(call.method)
    const first: CallTemplate | undefined = isOnce ? before : call
    const isPlain = !isAboutHeaders(step, scenario) && [undefined, 200].includes(expect?.status as undefined)
    if (
      first === undefined ||
      ![first, call].every(({ method }) => isBatchable(method)) ||
      !isPlain ||
      call.id !== undefined ||
      expect?.within !== undefined
    )
      return undefined
    return { items: [first, call], position: 1, isOfOtherCase: false }
  }
}

/** Gives each generated case that only reads a form by its number. */
export function withExploredForms(contract: Contract, scenarios: readonly Scenario[]): readonly Scenario[] {
  const requests = requestForms(contractTerms(contract).paths)
  return scenarios.map((scenario) => {
    if (scenario.effect !== 'read') return scenario
    const number = Number(/\d+$/.exec(scenario.id)?.[0] ?? 0)
    const formOf = (at: number): CallForm | undefined => {
      const form = requests[(number + at) % requests.length]
      // Every second call is sent as written.
      const choice = Math.floor((number + at) / requests.length)
      return form && choice % 2 === 1 ? { ...form, spelling: Math.floor(choice / 2) } : form
    }
    const steps = scenario.steps.map(
      (step, at): Step => (step.kind === 'call' ? { ...step, form: formOf(at) } : step),
    )
    return { ...scenario, steps }
  })
}

/** The parts of a form that a step does not state itself. */
function ownForm(step: SentStep, form: CallForm, scenario: Scenario): CallForm {
  const { path, key, headers, verb } = step
  const isOwnPath = path === undefined && typeof key !== 'object'
  const isOwnKey = path === undefined && key === undefined && !isAboutHeaders(step, scenario)
  const names = Object.keys(headers).map((name) => name.toLowerCase())
  return {
    path: isOwnPath ? form.path : undefined,
    key: isOwnKey ? form.key : undefined,
    acceptsGzip: form.acceptsGzip && verb === undefined && !names.includes('accept-encoding'),
    batch: undefined,
  }
}

/** True for a step whose headers depend on the key and on what was sent before, such as remaining requests. */
function isAboutHeaders({ expect, captureHeader }: SentStep, { alone }: Scenario): boolean {
  return alone === true || expect?.headers !== undefined || Object.keys(captureHeader).length > 0
}

/** True for a body of JSON or text, which spaces may follow. */
function canBePadded(step: SentStep): boolean {
  if (step.verb !== undefined) return false
  return (
    step.kind !== 'raw' ||
    (step.body.length > 0 && step.body.every((part) => 'text' in part && part.text !== ''))
  )
}

/** A number for a case that does not depend on the other cases of a run. */
function sumOf(id: string): number {
  return [...id].reduce((sum, character) => sum + character.charCodeAt(0), 0)
}
