import {
  type Contract,
  type ExamplePairing,
  facets,
  type JsonValue,
  type Method,
  member,
  objectMember,
} from '../../contract/index.js'
import { listedValues } from '../../values/index.js'
import { madeValues } from './made-values.js'

/** True if the schema of the parameter at a position accepts a value. */
export type Accepts = (position: number, value: JsonValue) => boolean

/** Parameter values by position; undefined for an omitted parameter. */
export type Given = readonly (JsonValue | undefined)[]

/**
 * Parameter values of an example. They are matched by name if all names are known and distinct, otherwise by
 * order.
 */
export function exampleGiven({ params }: Method, example: ExamplePairing): Given {
  const positions = example.params.map(({ name }) => params.findIndex((param) => param.name === name))
  const isNamed = !positions.includes(-1) && new Set(positions).size === positions.length
  if (!isNamed) return example.params.map(({ value }) => value)
  return params.map((_, at) => example.params[positions.indexOf(at)]?.value)
}

/**
 * Converts parameters to the form in which they are sent.
 * @returns undefined if a positional list would have a gap
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
 * Lists valid sets of parameters. They come from the method's examples, those with a result first. Parameters
 * without an example get their default or another valid value.
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

/** True if the parameters fit their schemas and none is missing or surplus. */
export function isValidGiven({ params }: Method, accepts: Accepts, given: Given): boolean {
  return (
    given.length <= params.length &&
    params.every(({ required }, at) => (given[at] === undefined ? !required : accepts(at, given[at])))
  )
}

/** Fills in omitted parameters up to a position. */
function filledUpTo(given: Given, samples: Given, position: number): Given {
  return samples.map((sample, at) => given[at] ?? (at <= position ? sample : undefined))
}

/**
 * Finds a valid value of a parameter: its default, a listed value, a value from the pool, or a generated one.
 * Null is the last resort.
 */
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

/**
 * Collects the parameter values in the contract's examples, including their parts. They serve as samples for
 * other parameters.
 */
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

/** Whether null for an optional parameter of a list counts as absent (`x-envelope`); undefined if the contract does not say. */
export function nullIsAbsent({ info }: Contract): boolean | undefined {
  const stated = member(objectMember(info, 'x-envelope'), 'nullIsAbsent')
  return typeof stated === 'boolean' ? stated : undefined
}
