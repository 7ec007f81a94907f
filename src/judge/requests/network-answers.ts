import { isObject, type JsonValue, member } from '../../toolkit/contract/index.js'
import type { Checks } from '../checks/checks.js'
import type { Variables } from '../scenario/fill.js'
import type { Scenario } from '../scenario/scenario.js'
import type { Send } from '../send/exchange.js'
import { replyView } from '../send/reply-view.js'
import type { Target } from '../send/target.js'
import type { ContractTerms } from '../terms/contract-terms.js'
import { readRequest, sent } from './head-reader.js'

/** Context for reading the target's network numbers. */
export interface NetworkQuestion {
  readonly terms: Pick<ContractTerms, 'networkMethods'>
  /** Variables from the contract. */
  readonly variables: Variables
  readonly target: Target
  readonly send: Send
  readonly nextId: () => number
  readonly checks: Pick<Checks, 'result'>
}

/** Selects the calls for network numbers that the scenarios use in a variable. */
export function networkCalls(
  { networkMethods }: Pick<ContractTerms, 'networkMethods'>,
  scenarios: readonly Pick<Scenario, 'steps'>[],
): ContractTerms['networkMethods'] {
  const texts = scenarios.map(({ steps }) => JSON.stringify(steps))
  return networkMethods.filter(({ member: name }) =>
    texts.some((text) => text.includes(`\${network.${name}`)),
  )
}

/**
 * Reads the network numbers from the target. Returns those that differ from the contract, by member of
 * `x-networks`.
 */
export async function askNetwork(
  calls: ContractTerms['networkMethods'],
  { variables, target, send, nextId, checks }: NetworkQuestion,
): Promise<Readonly<Record<string, JsonValue>>> {
  const answers: Record<string, JsonValue> = {}
  for (const { method, member: name } of calls) {
    const stated = variables.get(`network.${name}`)
    if (stated === undefined) continue
    const exchange = await sent(send, readRequest({ method, params: [] }, target, nextId()))
    const json = exchange?.reply && replyView(exchange.reply).json
    const result = isObject(json) ? member(json, 'result') : undefined
    if (typeof result !== 'string' || result === stated || checks.result(method, [], result).length > 0)
      continue
    answers[name] = result
  }
  return answers
}

/**
 * Chooses the variables of each case. On an unexpected network, only the cases about network numbers should
 * fail. All other cases use the numbers that the target reports.
 */
export function variablesOfCases(
  { networkMethods }: Pick<ContractTerms, 'networkMethods'>,
  variables: Variables,
  answers: Readonly<Record<string, JsonValue>>,
): (scenario: Pick<Scenario, 'rules'>) => Variables {
  const about = new Set(networkMethods.flatMap(({ rules }) => rules))
  const answered = new Map([
    ...variables,
    ...Object.entries(answers).map(([name, value]) => [`network.${name}`, value] as const),
  ])
  return ({ rules }) => (rules.some((rule) => about.has(rule)) ? variables : answered)
}
