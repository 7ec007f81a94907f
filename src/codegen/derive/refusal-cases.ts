import type { Contract, JsonObject, JsonValue, Method } from '../../contract/index.js'
import { oneLine } from '../text.js'
import { type DerivedCase, invalidParamsCode } from './derived-case.js'
import type { Mistake, RulesFor } from './derived-rules.js'
import { componentKeys, facets, referenced } from './facets.js'
import { type Accepts, type Given, sentParams, validGivens } from './given-params.js'
import { mistakenValues, unknownName } from './mistaken-values.js'
import { placesOf } from './places.js'
import { sharedMistakes } from './shared-mistakes.js'

/** What deriving a method's cases goes by. */
interface Sources {
  readonly contract: Contract
  readonly method: Method
  readonly rulesFor: RulesFor
  readonly accepts: Accepts
  readonly pool: readonly JsonValue[]
  readonly givens: readonly Given[]
}

/**
 * Calls with parameters that the method does not take: one missing, one more, and every value at every place that the
 * schema of its parameter refuses. Nothing is expected to be refused but what the contract's own schemas refuse.
 */
export function refusalCases(given: Omit<Sources, 'givens'>): readonly DerivedCase[] {
  const { contract, method, accepts, pool } = given
  const sources: Sources = { ...given, givens: validGivens(contract, method, accepts, pool) }
  return [
    ...method.params.flatMap((_, at) => missingCase(sources, at)),
    ...surplusCase(sources),
    ...method.params.flatMap((_, at) => mistakenCases(sources, at)),
  ]
}

/** In a list, what follows the missing parameter is missing as well. */
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
      scenario: `${called(method)} without its parameter \`${oneLine(param.name)}\` is refused with ${invalidParamsCode}.`,
      params,
      rules: rulesFor('missing', describing(sources, position)),
    }),
  ]
}

/** JSON-RPC itself leaves open what a server does with a parameter that it does not know. */
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
    scenario: `${called(method)} with one parameter more than it has is refused with ${invalidParamsCode}.`,
    params,
    rules,
  })
  const reason = 'Neither JSON-RPC 2.0 nor a rule of the contract says that a parameter more is refused.'
  const answered = { expect: { result: { $not: { $absent: true } } }, reason }
  return [rules.length > 0 ? found : { ...found, tolerate: [answered] }]
}

function mistakenCases(sources: Sources, position: number): readonly DerivedCase[] {
  const { contract, method, givens, accepts } = sources
  const places = placesOf(contract, method, position, givens, sources)
  const seen = new Set<string>()
  const found = places.flatMap((place) => {
    const isParameter = place.label === method.params[position]?.name
    const takes = (value: JsonValue) => accepts(position, place.replaced(value)[position] ?? null)
    return mistakenValues(place, isParameter, takes).flatMap((mistaken) => {
      const params = sentParams(method, place.replaced(mistaken.value))
      const name = `${place.label}-${mistaken.name}`
      if (params === undefined || seen.has(name) || takes(mistaken.value)) return []
      seen.add(name)
      const mistake = isParameter ? ofParameter(sources, position, mistaken) : mistaken.mistake
      const derived = refusal(sources, {
        name,
        scenario: `${called(method)} refuses ${mistaken.words} as \`${oneLine(place.label)}\` with ${invalidParamsCode}.`,
        params,
        rules: sources.rulesFor(mistake, componentKeys(place.schemas)),
      })
      return [{ place: place.label, components: referenced(place.schemas), mistake: mistaken.name, derived }]
    })
  })
  return sharedMistakes(found).map(({ derived }) => derived)
}

/** Null for a parameter that may be left out is a mistake of its own. */
function ofParameter(
  { method }: Sources,
  position: number,
  { name, mistake }: { readonly name: string; readonly mistake: Mistake },
): Mistake {
  return name === 'null' && method.params[position]?.required === false ? 'null' : mistake
}

function describing({ contract, method }: Sources, position: number): ReadonlySet<string> {
  const schema = method.params[position]?.schema
  return componentKeys(schema ? facets(contract, [schema]) : [])
}

function called({ name }: Method): string {
  return `\`${oneLine(name)}\``
}

function refusal(
  { method }: Sources,
  parts: Pick<DerivedCase, 'name' | 'scenario' | 'params' | 'rules'>,
): DerivedCase {
  return {
    method,
    network: undefined,
    expect: { error: { code: invalidParamsCode } },
    tolerate: [],
    ...parts,
  }
}
