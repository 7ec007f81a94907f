import {
  type Contract,
  facets,
  failureCode,
  isArray,
  type JsonObject,
  type JsonValue,
  type Method,
} from '../../contract/index.js'
import { oneLine } from '../../text/index.js'
import { called } from '../case-text.js'
import { componentKeys, referenced } from '../component-keys.js'
import { type Accepts, type Given, nullIsAbsent, sentParams, validGivens } from '../params/given-params.js'
import type { DerivedCase } from './derived-case.js'
import type { RulesFor } from './derived-rules.js'
import { mistakenValues, unknownName } from './mistaken-values.js'
import { placesOf } from './places.js'
import { type PlacedMistake, sharedMistakes } from './shared-mistakes.js'

/** Inputs for deriving the cases of a method. */
interface Sources {
  readonly contract: Contract
  readonly method: Method
  readonly rulesFor: RulesFor
  readonly accepts: Accepts
  readonly pool: readonly JsonValue[]
  readonly givens: readonly Given[]
  /** Error code of invalid parameters. */
  readonly code: number
}

/**
 * Derives calls with invalid parameters: a missing one, a surplus one, and invalid values at every place. A
 * value counts as invalid only if the contract's own schemas reject it.
 */
export function refusalCases(given: Omit<Sources, 'givens' | 'code'>): readonly DerivedCase[] {
  const { contract, method, accepts, pool } = given
  const sources: Sources = {
    ...given,
    givens: validGivens(contract, method, accepts, pool),
    code: failureCode(contract, 'invalidParams'),
  }
  return [
    ...method.params.flatMap((_, at) => missingCase(sources, at)),
    ...surplusCase(sources),
    ...method.params.flatMap((_, at) => mistakenCases(sources, at)),
  ]
}

/** In a positional list, the parameters after the missing one are missing too. */
function missingCase(sources: Sources, position: number): readonly DerivedCase[] {
  const { method, givens, rulesFor } = sources
  const param = method.params[position]
  const [given = []] = givens
  if (!param?.required) return []
  const byName = method.paramStructure === 'by-name'
  const left = byName
    ? given.map((value, at) => (at === position ? undefined : value))
    : given.slice(0, position)
  const params = sentParams(method, left)
  if (params === undefined) return []
  return [
    refusal(sources, {
      name: `without-${param.name}`,
      scenario: `${called(method)} without its parameter \`${oneLine(param.name)}\` is refused with ${sources.code}.`,
      params,
      rules: rulesFor('missing', describing(sources, position)),
      shared: sharedByLists(sources, `without ${position}`),
    }),
  ]
}

/** JSON-RPC does not define how a server treats an unknown parameter. */
function surplusCase(sources: Sources): readonly DerivedCase[] {
  const { method, givens, rulesFor } = sources
  const values = method.params.map((_, at) => givens.find((given) => given[at] !== undefined)?.[at])
  const valid = sentParams(method, values)
  if (valid === undefined) return []
  const isList = Array.isArray(valid)
  if (isList && valid.length < method.params.length) return []
  const params = isList ? [...valid, true] : { ...(valid as JsonObject), [unknownName]: true }
  const rules = rulesFor('surplus', new Set())
  const found = refusal(sources, {
    name: 'one-more',
    scenario: `${called(method)} with one extra parameter is refused with ${sources.code}.`,
    params,
    rules,
    shared: sharedByLists(sources, 'one more'),
  })
  const reason =
    'Neither JSON-RPC 2.0 nor a rule of the contract requires that an extra parameter is refused.'
  const answered = { expect: { result: { $not: { $absent: true } } }, reason }
  return [rules.length > 0 ? found : { ...found, tolerate: [answered] }]
}

/** A mistake in a list of parameters, which methods share if their parameters are the same components. */
function sharedByLists({ contract, method }: Sources, mistake: string): PlacedMistake | undefined {
  const lists = method.params.map(({ schema, required: isRequired }) => {
    const components = referenced(facets(contract, [schema]))
    return components && `${components} ${isRequired}`
  })
  if (lists.length === 0 || lists.includes('')) return undefined
  return { place: method.name, components: `${effectOf(method)} lists of ${lists.join(', ')}`, mistake }
}

/** Returns the effect of a method. Reads and writes share no cases, because default runs send no writes. */
function effectOf({ extensions }: Method): string {
  return extensions['x-effect'] === 'write' ? 'write' : 'read'
}

/**
 * Mistakes that parameters of several methods share if their schemas are the same components. Services check a component
 * by the same code for all methods. Null, numbers, texts, and mistakes of lengths, digits and bounds are still tried at
 * every parameter and in every member. The members of such parameters share the types, too.
 */
const sharedTypes: ReadonlySet<string> = new Set(['boolean', 'list', 'object'])

function mistakenCases(sources: Sources, position: number): readonly DerivedCase[] {
  const { contract, method, givens, accepts } = sources
  const param = method.params[position]
  if (param === undefined) return []
  const effect = effectOf(method)
  const whole = referenced(facets(contract, [param.schema]))
  const places = placesOf(contract, method, position, givens, sources)
  const seen = new Set<string>()
  const found = places.flatMap((place) => {
    const isParameter = place.label === param.name
    const takes = (value: JsonValue) => accepts(position, place.replaced(value)[position] ?? null)
    const keys = componentKeys(place.schemas)
    const components = referenced(place.schemas)
    return mistakenValues(place, isParameter, takes).flatMap((mistaken) => {
      const params = sentParams(method, place.replaced(mistaken.value))
      const name = `${place.label}-${mistaken.name}`
      if (params === undefined || seen.has(name) || takes(mistaken.value)) return []
      seen.add(name)
      const isNull = isParameter && mistaken.value === null && !param.required
      const derived = refusal(sources, {
        name,
        scenario: `${called(method)} refuses ${mistaken.words} as \`${oneLine(place.label)}\` with ${sources.code}.`,
        params,
        rules: sources.rulesFor(isNull ? 'null' : mistaken.mistake, keys),
      })
      if (isNull && isArray(params)) {
        return [
          {
            place: place.label,
            components: '',
            mistake: 'null',
            derived: nullCase(sources, place.label, derived),
          },
        ]
      }
      const placed = {
        place: `${method.name} ${place.label}`,
        components: components && `${effect} ${components}`,
        mistake: mistaken.name,
      }
      if (!sharedTypes.has(mistaken.name)) return [{ ...placed, derived }]
      if (isParameter) return [{ ...placed, derived: { ...derived, shared: placed } }]
      const within = {
        place: method.name,
        components: `${effect} within ${whole}`,
        mistake: `${place.label.slice(param.name.length)} ${mistaken.name}`,
      }
      return [{ ...placed, derived: whole === '' ? derived : { ...derived, shared: within } }]
    })
  })
  return sharedMistakes(found).map(({ derived }) => derived)
}

/**
 * Changes the case of null for an optional parameter of a list. It counts as absent if the contract says so, and
 * may count as absent if the contract says nothing.
 */
function nullCase({ contract, method, code }: Sources, label: string, refused: DerivedCase): DerivedCase {
  const rule = nullIsAbsent(contract)
  if (rule === false) return refused
  const isRefused = { $has: { error: { $has: { code } } } }
  if (rule) {
    const scenario = `${called(method)} treats null as \`${oneLine(label)}\` like an absent parameter.`
    return { ...refused, scenario, expect: { body: { $not: isRefused } } }
  }
  const reason = 'Null for an optional parameter often means that it is absent. The contract does not say.'
  const outcomes = [
    { result: { $not: { $absent: true } } },
    { body: { $has: { error: { $has: { code: { $not: code } } } } } },
  ]
  return { ...refused, tolerate: outcomes.map((expect) => ({ expect, reason })) }
}

function describing({ contract, method }: Sources, position: number): ReadonlySet<string> {
  const schema = method.params[position]?.schema
  return componentKeys(schema ? facets(contract, [schema]) : [])
}

function refusal(
  { method, code }: Sources,
  parts: Pick<DerivedCase, 'name' | 'scenario' | 'params' | 'rules' | 'shared'>,
): DerivedCase {
  return {
    method,
    network: undefined,
    expect: { error: { code } },
    tolerate: [],
    ...parts,
  }
}
