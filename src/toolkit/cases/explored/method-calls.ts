import fc from 'fast-check'
import type { Contract, JsonValue, Method } from '../../contract/index.js'
import {
  createEdgeValues,
  createValues,
  type NearlyValid,
  seededValue,
  unlessNone,
} from '../../values/index.js'
import { exampleGiven, type Given, isValidGiven, nullIsAbsent } from '../params/given-params.js'
import { paramsJudge } from '../params/params-judge.js'

/** Seeded parameters for the calls of one method. Each function returns undefined if there are none. */
export interface MethodCalls {
  /** Parameters of an example, or readable generated ones. */
  readonly usual: (seed: string) => Given | undefined
  /** Random valid parameters. */
  readonly varied: (seed: string) => Given | undefined
  /** Valid parameters with one value at the edge of its schema, or with optional ones left out. */
  readonly edge: (seed: string) => Given | undefined
  /** Parameters that violate exactly one constraint. */
  readonly invalid: (seed: string) => Given | undefined
}

/** Creates the sources of parameters of every method of a contract, each on first use. */
export function createMethodCalls(contract: Contract): (method: Method) => MethodCalls {
  const readable = createValues(contract, { small: true })
  const random = createValues(contract, { varied: true, small: true })
  const edges = createEdgeValues(contract)
  const known = new Map<string, MethodCalls>()
  const takesNull = ({ params, paramStructure }: Method, position: number) =>
    nullIsAbsent(contract) !== false && paramStructure !== 'by-name' && params[position]?.required === false
  const create = (method: Method): MethodCalls => {
    const accepts = paramsJudge(contract, method)
    const isValid = (given: Given) => isValidGiven(method, accepts, given)
    const tuple = (values: typeof readable) =>
      sampler(() => fc.tuple(...method.params.map(({ schema }) => values.valid([schema]))))
    const made = tuple(readable)
    const varied = tuple(random)
    const examples = method.examples.map((example) => exampleGiven(method, example)).filter(isValid)
    const usual = (seed: string) => chosen([...examples, ...list(made(seed))], seed)
    const variants = once(() => edgeGivens(method, made('edges') ?? examples[0], edges).filter(isValid))
    const mistakes = method.params.map(({ schema }) => sampler<NearlyValid>(() => random.nearlyValid(schema)))
    return {
      usual,
      varied: (seed) => {
        const given = varied(seed)
        return given && cutShort(method, given, seed)
      },
      edge: (seed) => chosen(variants(), seed),
      invalid: (seed) => {
        const position = chosen(
          method.params.map((_, at) => at),
          seed,
        )
        const base = usual(seed)
        if (position === undefined || base === undefined) return undefined
        const mistake = mistakes[position]?.(seed)
        // Programs may ignore formats, and the contract's own schema must reject the value.
        if (mistake === undefined || mistake.keyword === 'format' || accepts(position, mistake.value))
          return undefined
        // It may count as absent.
        if (mistake.value === null && takesNull(method, position)) return undefined
        return filled(base, made(seed), position).map((value, at) =>
          at === position ? mistake.value : value,
        )
      },
    }
  }
  return (method) => {
    const found = known.get(method.name) ?? create(method)
    known.set(method.name, found)
    return found
  }
}

/** Draws seeded values from an arbitrary. Draws undefined if the schema has no value. */
function sampler<Value>(make: () => fc.Arbitrary<Value>): (seed: string) => Value | undefined {
  const arbitrary = once(() => unlessNone(make))
  return (seed) => {
    const values = arbitrary()
    return values && unlessNone(() => seededValue(values, seed))
  }
}

function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

function list<Value>(value: Value | undefined): readonly Value[] {
  return value === undefined ? [] : [value]
}

/** Chooses an item by a seed. */
export function chosen<Item>(items: readonly Item[], seed: string): Item | undefined {
  return items.length === 0 ? undefined : items[seededValue(fc.nat(items.length - 1), `choice ${seed}`)]
}

/** Omits optional parameters from the end, depending on the seed. */
function cutShort({ params }: Method, given: Given, seed: string): Given {
  const least = params.findLastIndex(({ required }) => required) + 1
  return given.slice(0, least + seededValue(fc.nat(params.length - least), `length ${seed}`))
}

/** Fills in omitted parameters before a position. */
function filled(given: Given, made: Given | undefined, position: number): Given {
  const length = Math.max(given.length, position + 1)
  return Array.from({ length }, (_, at) => given[at] ?? (at < position ? made?.[at] : undefined))
}

function edgeGivens(
  { params, paramStructure }: Method,
  base: Given | undefined,
  edges: ReturnType<typeof createEdgeValues>,
): readonly Given[] {
  if (base === undefined) return []
  const optional = params.flatMap(({ required }, at) => (required ? [] : [at]))
  const without = (omitted: readonly number[]) =>
    base.map((value, at) => (omitted.includes(at) ? undefined : value))
  const kept = optional.flatMap((one, at) => [[one], ...optional.slice(at + 1).map((other) => [one, other])])
  const isNamed = paramStructure !== 'by-position'
  const omissions = isNamed
    ? [optional, ...kept.map((pair) => optional.filter((at) => !pair.includes(at)))]
    : optional.map((at) => optional.filter((other) => other >= at))
  return [
    ...params.flatMap(({ schema }, position) =>
      (unlessNone(() => edges(schema)) ?? []).map((edge): readonly (JsonValue | undefined)[] =>
        base.map((value, at) => (at === position ? edge : value)),
      ),
    ),
    ...omissions.map(without),
  ]
}
