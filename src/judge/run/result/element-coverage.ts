import {
  type Contract,
  isArray,
  isObject,
  type JsonValue,
  joinPointer,
  member,
  parseJson,
} from '../../../toolkit/contract/index.js'
import type { CaseResult, ElementCoverage } from '../../report/index.js'
import type { CallTemplate, Scenario, SentStep } from '../../scenario/scenario.js'
import { sentSteps } from '../../scenario/sent-steps.js'

/** Ids of the elements that a case exercises. */
type Exercised = ReadonlySet<string>

/**
 * Lists every method, parameter and error of the contract with the cases that exercised it. A case exercises
 * the methods it calls and the errors whose codes it expects. It also exercises parameters that it passes,
 * and required ones that it omits.
 */
export function elementCoverage(
  contract: Contract,
  scenarios: readonly Scenario[],
  cases: readonly CaseResult[],
): readonly ElementCoverage[] {
  const byCase = new Map(scenarios.map((scenario) => [scenario.id, exercisedBy(scenario, contract)]))
  return elementsOf(contract).map((element) => ({
    ...element,
    cases: cases
      .filter(({ id }) => byCase.get(id)?.has(`${element.kind} ${element.id}`))
      .map(({ id, verdict }) => ({ id, verdict })),
  }))
}

function elementsOf({ methods, errors }: Contract): readonly Omit<ElementCoverage, 'cases'>[] {
  return [
    ...methods.map(({ name, pointer }) => ({ kind: 'method', id: name, pointer }) as const),
    ...methods.flatMap(({ name, params, pointer }) =>
      params.map((param, index) => ({
        kind: 'parameter' as const,
        id: `${name} ${param.name}`,
        pointer: joinPointer(joinPointer(pointer, 'params'), index),
      })),
    ),
    ...errors
      .filter(({ code }, index) => errors.findIndex((other) => other.code === code) === index)
      .map(({ code, message, pointer }) => ({ kind: 'error', id: `${code} ${message}`, pointer }) as const),
  ]
}

function exercisedBy({ steps }: Scenario, contract: Contract): Exercised {
  const exercised = new Set<string>()
  for (const step of sentSteps(steps)) {
    for (const { method, params } of callsOf(step)) {
      const called = contract.methods.find(({ name }) => name === method)
      if (called === undefined) continue
      exercised.add(`method ${called.name}`)
      for (const [index, param] of called.params.entries()) {
        const isGiven = isObject(params) ? member(params, param.name) !== undefined : index < countOf(params)
        const isMissed = param.required && (isObject(params) || index === countOf(params))
        if (isGiven || isMissed) exercised.add(`parameter ${called.name} ${param.name}`)
      }
    }
    const codes = new Set(statedCodes(step))
    for (const { code, message } of contract.errors) {
      if (codes.has(code)) exercised.add(`error ${code} ${message}`)
    }
  }
  return exercised
}

function countOf(params: JsonValue | undefined): number {
  return isArray(params) ? params.length : 0
}

function callsOf(step: SentStep): readonly Pick<CallTemplate, 'method' | 'params'>[] {
  if (step.kind === 'call') return [step.call]
  if (step.kind === 'batch') return step.items
  return rawCalls(step.body.map((part) => ('text' in part ? part.text : '')).join(''))
}

/** Parses a raw body that contains a request or a batch. */
function rawCalls(text: string): readonly Pick<CallTemplate, 'method' | 'params'>[] {
  const json = parseJson(text)
  return (isArray(json) ? json : [json]).flatMap((call) => {
    const method = isObject(call) ? member(call, 'method') : undefined
    return isObject(call) && typeof method === 'string' ? [{ method, params: member(call, 'params') }] : []
  })
}

/** Error codes that the step's expectations mention. */
function statedCodes(step: SentStep): readonly number[] {
  const stated = [step.expect, step.repeatUntil?.expect, ...step.tolerate.map(({ expect }) => expect)]
  return stated.flatMap((expectation) => (expectation === undefined ? [] : codesIn(expectation as JsonValue)))
}

function codesIn(value: JsonValue | undefined): readonly number[] {
  if (isArray(value)) return value.flatMap(codesIn)
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([name, inner]) =>
    name === 'code' ? numbersIn(inner) : codesIn(inner),
  )
}

/** Codes under `$not` are not exercised. */
function numbersIn(value: JsonValue | undefined): readonly number[] {
  if (typeof value === 'number') return [value]
  if (isArray(value)) return value.flatMap(numbersIn)
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([name, inner]) => (name === '$not' ? [] : numbersIn(inner)))
}
