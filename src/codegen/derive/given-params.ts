import type { Contract, ExamplePairing, JsonValue, Method } from '../../contract/index.js'
import { listedValues } from '../../values/index.js'
import { facets } from './facets.js'
import { madeValues } from './made-values.js'

/** Says of a value whether the schema of the parameter at a position takes it. */
export type Accepts = (position: number, value: JsonValue) => boolean

/** Values of a method's parameters by their position; undefined for one that is left out. */
export type Given = readonly (JsonValue | undefined)[]

/** What an example gives: by name where its names tell, else in its order. */
export function exampleGiven({ params }: Method, example: ExamplePairing): Given {
  const positions = example.params.map(({ name }) => params.findIndex((param) => param.name === name))
  const isNamed = !positions.includes(-1) && new Set(positions).size === positions.length
  if (!isNamed) return example.params.map(({ value }) => value)
  return params.map((_, at) => example.params[positions.indexOf(at)]?.value)
}

/**
 * Parameters in the form that they are sent in.
 * @returns undefined where a list would have a hole
 */
export function sentParams({ params, paramStructure }: Method, given: Given): JsonValue | undefined {
  const last = given.findLastIndex((value) => value !== undefined)
  const list = given.slice(0, last + 1)
  const hasHole = list.includes(undefined)
  if (paramStructure === 'by-name' || (paramStructure === 'either' && hasHole)) {
    return Object.fromEntries(given.flatMap((value, at) => named(params[at]?.name, value)))
  }
  return hasHole ? undefined : (list as readonly JsonValue[])
}

function named(name: string | undefined, value: JsonValue | undefined) {
  return name === undefined || value === undefined ? [] : [[name, value] as const]
}

/**
 * Sets of parameters that every schema takes: those of the method's examples, those with a result first, and for
 * parameters that no example gives the default or another value that their schema takes.
 */
export function validGivens(
  contract: Contract,
  method: Method,
  accepts: Accepts,
  pool: readonly JsonValue[],
): readonly Given[] {
  const { params, examples } = method
  const inOrder = [...examples].sort((one, other) => Number(!one.result) - Number(!other.result))
  const shown = inOrder.map((example) => exampleGiven(method, example))
  const samples = params.map((_, at) => sampleValue(contract, method, at, accepts, pool))
  const required = params.map((param, at) => (param.required ? samples[at] : undefined))
  const valid = shown.filter((given) => isValidGiven(method, accepts, given))
  const bases = valid.length > 0 ? valid : [required]
  const unseen = params.flatMap((_, at) => (bases.some((given) => given[at] !== undefined) ? [] : [at]))
  return [...bases, ...unseen.map((at) => filledUpTo(bases[0] ?? [], samples, at))]
}

/** True where the schemas of a method's parameters take what is given, and nothing is missing or too much. */
export function isValidGiven({ params }: Method, accepts: Accepts, given: Given): boolean {
  return (
    given.length <= params.length &&
    params.every(({ required }, at) => (given[at] === undefined ? !required : accepts(at, given[at])))
  )
}

/** The same parameters with those up to a position filled in. */
function filledUpTo(given: Given, samples: Given, position: number): Given {
  return samples.map((sample, at) => given[at] ?? (at <= position ? sample : undefined))
}

/** A value that the parameter's schema takes: its default, one that it lists, one of the pool, or one made for it; null last. */
function sampleValue(
  contract: Contract,
  { params }: Method,
  position: number,
  accepts: Accepts,
  pool: readonly JsonValue[],
): JsonValue | undefined {
  const param = params[position]
  if (!param) return undefined
  const listed = facets(contract, [param.schema]).flatMap(({ schema }) => listedValues(schema))
  const defaults = param.default === undefined ? [] : [param.default]
  const made = madeValues(contract, [param.schema])
  const candidates = [...defaults, ...listed, ...pool, ...simpleValues, ...made, null]
  return candidates.find((value) => accepts(position, value))
}

const simpleValues: readonly JsonValue[] = ['a', '1', '', 1, 0, true, [], {}]

/** Every value in the contract's examples, parts of values included: where a schema takes one of them, it makes a sample. */
export function valuePool({ methods }: Contract): readonly JsonValue[] {
  const values = methods.flatMap(({ examples }) =>
    examples.flatMap(({ params }) => params.flatMap(({ value }) => partsOf(value, 3))),
  )
  const distinct = new Map(values.map((value) => [JSON.stringify(value), value]))
  return [...distinct.values()].filter((value) => value !== null).slice(0, poolSize)
}

const poolSize = 300

function partsOf(value: JsonValue, depth: number): readonly JsonValue[] {
  if (depth === 0 || value === null || typeof value !== 'object') return [value]
  const inner: readonly (JsonValue | undefined)[] = Object.values(value)
  return [value, ...inner.flatMap((part) => (part === undefined ? [] : partsOf(part, depth - 1)))]
}
