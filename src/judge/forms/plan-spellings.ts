import { type Contract, isArray, type JsonValue } from '../../toolkit/contract/index.js'
import type { CallForm, CallStep, Scenario } from '../scenario/scenario.js'
import { contractTerms, type HeadQuestion } from '../terms/contract-terms.js'
import { isLiteral } from './call-form.js'
import { type SpelledParam, spelledParams } from './spellings.js'

/** Returns the index of the spelling used for a step; undefined if the step is sent as written. */
export type SpellingPlan = (scenario: Scenario, place: number) => number | undefined

/** A candidate spelling: its index in `x-spellings` (undefined for the value as written) and its text. */
interface Option {
  readonly at: number | undefined
  readonly text: string
}

/**
 * Assigns spellings to calls so that all pairs of a spelling with a method, path, compression and key are covered, if
 * there are enough calls. The value as written counts as a spelling. The assignment depends only on the given cases, so a
 * case run alone is sent as in the whole run.
 * @param scenarios all cases, whether they run or not
 * @param formOf the form of a step without a spelling; undefined if the step must be sent as written
 */
export function planSpellings(
  contract: Contract,
  scenarios: readonly Scenario[],
  formOf: (step: CallStep, scenario: Scenario, place: number) => CallForm | undefined,
): SpellingPlan {
  const { head } = contractTerms(contract)
  const params = new Map(contract.methods.map((method) => [method.name, spelledParams(contract, method)]))
  const planned = new Map<string, number>()
  const times = new Map<string, number>()
  const timesOf = (pair: string) => times.get(pair) ?? 0
  /** Ranks uncovered pairs first, then rarely covered ones. */
  const rank = (pairs: readonly string[]) =>
    pairs.reduce((sum, pair) => sum + (timesOf(pair) === 0 ? 1 : -timesOf(pair) / 1000), 0)
  for (const scenario of scenarios) {
    for (const [place, step] of scenario.steps.entries()) {
      if (step.kind !== 'call' || head === undefined) continue
      const form = formOf(step, scenario, place)
      const [param] = params.get(step.call.method) ?? []
      const options = param && optionsOf(step, param, scenario.steps.slice(0, place), head)
      if (form === undefined || options === undefined) continue
      const parts = [step.call.method, form.path, `gzip ${form.acceptsGzip}`, `key ${form.key}`]
      const pairsOf = ({ text }: Option) => parts.map((part) => `${text} ${part}`)
      const best = options.reduce((one, other) => (rank(pairsOf(other)) > rank(pairsOf(one)) ? other : one))
      for (const pair of pairsOf(best)) times.set(pair, timesOf(pair) + 1)
      if (best.at !== undefined) planned.set(keyOf(scenario, place), best.at)
    }
  }
  return (scenario, place) => planned.get(keyOf(scenario, place))
}

const keyOf = ({ id }: Scenario, place: number): string => `${id} ${place}`

/** Returns the candidate spellings of a block value, as written first; undefined if the value has no other spelling. */
function optionsOf(
  { call: { params } }: CallStep,
  { at, values }: SpelledParam,
  before: Scenario['steps'],
  head: HeadQuestion,
): readonly [Option, ...Option[]] | undefined {
  const value = isArray(params) ? params[at] : undefined
  if (typeof value !== 'string') return undefined
  const isMoving = head.moving.includes(value)
  // Tags contain no digits. Numbers computed from a variable may refer to blocks that do not exist.
  if (!isMoving && !(isLiteral(value) ? /\d/ : /^\$\{[^ }]+\}$/).test(value)) return undefined
  const tags = isMoving ? [] : isLiteral(value) ? values : tagsOf(value, before, head)
  const own = { at: undefined, text: JSON.stringify(isMoving ? value : `\${number}`) }
  const others = values.flatMap((stated, at) => {
    const text = JSON.stringify(stated)
    return text !== own.text && (!isLiteral(stated) || tags.includes(stated)) ? [{ at, text }] : []
  })
  return [own, ...others]
}

/** Returns the tags that may resolve to a variable's number: the captured tag, or moving tags. */
function tagsOf(
  value: string,
  before: Scenario['steps'],
  { method, params, number, moving }: HeadQuestion,
): readonly JsonValue[] {
  const place = params.findIndex((param) => moving.includes(param))
  const captured = before.flatMap((step) => {
    if (step.kind !== 'call' || step.call.method !== method || !isArray(step.call.params)) return []
    const isOfStep = Object.entries(step.capture).some(
      ([name, path]) => path === number && value === `\${${name}}`,
    )
    const tag = step.call.params[place]
    return isOfStep && tag !== undefined ? [tag] : []
  })
  return captured.length > 0 ? captured : moving
}
