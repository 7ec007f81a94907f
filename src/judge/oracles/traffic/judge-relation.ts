import type { JsonValue } from '../../../toolkit/contract/index.js'
import { fillExpectation } from '../../expect/fill-expectation.js'
import { matchValue } from '../../expect/match-value.js'
import type { SchemaCheck } from '../../expect/schema-check.js'
import type { Finding } from '../../report/index.js'
import { capture } from '../../scenario/capture.js'
import type { ComputeFunction } from '../../scenario/compute-function.js'
import type { Variables } from '../../scenario/fill.js'
import type { InvariantForm, Settled } from '../../scenario/invariant.js'
import type { Condition } from '../../scenario/scenario.js'
import { type EntityStore, filledOr, membersOf, type Occurrence, textOf } from './entity-store.js'
import { recorded, type TrafficVerdict, trafficDefaults, Violations } from './seen.js'

/** Context for judging relations. */
export interface RelationContext {
  readonly store: EntityStore
  readonly schemas: SchemaCheck
  readonly functions: Readonly<Record<string, ComputeFunction>>
  /** Variables of the contract. */
  readonly variables: Variables
}

type Relation = Extract<InvariantForm, { kind: 'relation' }>

/** Judges a relation by all entities that the run remembers. */
export function relationVerdict(form: Relation, context: RelationContext): TrafficVerdict {
  const violations = new Violations()
  let compared = 0
  for (const occurrence of settledIn(form.entity, form.settled, context)) {
    if (form.computations.length > 0 && compared >= trafficDefaults.computedEntities) break
    const own = new Map([...context.variables, ...membersOf(occurrence.value, form.entity)])
    for (const { variables, others } of combinations(form, own, context.store)) {
      const findings = findingsOf(form, variables, context)
      if (findings === undefined) continue
      compared++
      const [finding] = findings
      if (finding === undefined) continue
      const seen = [...new Set([...others, occurrence].map(({ seen }) => seen))]
      violations.add(() => ({
        finding: { ...finding, where: `${form.entity} ${occurrence.key}, ${finding.where}` },
        answers: seen
          .toSorted((one, other) => one.received - other.received)
          .map((one, at) => recorded(one, at + 1)),
      }))
    }
  }
  return violations.verdict(compared)
}

/** Judges values that do not fall while another value rises, such as timestamps by block number. */
export function orderVerdict(
  { entity, by, value, settled }: Extract<InvariantForm, { kind: 'ordered' }>,
  context: RelationContext,
): TrafficVerdict {
  const violations = new Violations()
  const placed = settledIn(entity, settled, context).flatMap((occurrence) => {
    const variables = membersOf(occurrence.value, entity)
    const [place, amount] = [by, value].map((template) => amountOf(filledOr(template, variables)))
    return place === undefined || amount === undefined ? [] : [{ occurrence, place, amount }]
  })
  placed.sort((one, other) => (one.place < other.place ? -1 : Number(one.place > other.place)))
  let highest: (typeof placed)[number] | undefined
  for (const [at, one] of placed.entries()) {
    const before = placed[at - 1]
    if (before !== undefined && before.place < one.place) {
      if (highest === undefined || before.amount > highest.amount) highest = before
    }
    if (highest === undefined || highest.place >= one.place || one.amount >= highest.amount) continue
    const { occurrence, amount } = highest
    violations.add(() => ({
      finding: {
        where: `${entity} ${one.occurrence.key}, ${value}`,
        expected: `at least ${amount}, as in ${entity} ${occurrence.key} before it`,
        got: String(one.amount),
      },
      answers: [recorded(occurrence.seen, 1), recorded(one.occurrence.seen, 2)],
    }))
  }
  return violations.verdict(Math.max(0, placed.length - 1))
}

/** Returns the entities, without those near the highest value that the run has seen. These may still change. */
function settledIn(
  entity: string,
  settled: Settled | undefined,
  { store }: RelationContext,
): readonly Occurrence[] {
  const all = store.all(entity)
  if (settled === undefined) return all
  const places = all.map(({ value }) => amountOf(filledOr(settled.value, membersOf(value, entity))))
  const highest = places.reduce<bigint>(
    (most, place) => (place !== undefined && place > most ? place : most),
    0n,
  )
  return all.filter((_, at) => {
    const place = places[at]
    return place !== undefined && place + BigInt(settled.distance) <= highest
  })
}

function amountOf(value: JsonValue | undefined): bigint | undefined {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : undefined
  return typeof value === 'string' && /^(0x[0-9a-f]+|\d+)$/i.test(value) ? BigInt(value) : undefined
}

interface Combination {
  readonly variables: Variables
  readonly others: readonly Occurrence[]
}

/** Finds the other entities of a relation. An entity that no answer had gives no combination. */
function combinations({ others }: Relation, own: Variables, store: EntityStore): readonly Combination[] {
  return others.reduce<readonly Combination[]>(
    (found, { variable, entity, key }) =>
      found.flatMap(({ variables, others: before }) => {
        const filled = filledOr(key, variables)
        const occurrences = filled === undefined ? [] : store.of(entity, textOf(filled))
        return occurrences.map((other) => ({
          variables: new Map([...variables, ...membersOf(other.value, variable)]),
          others: [...before, other],
        }))
      }),
    [{ variables: own, others: [] }],
  )
}

/** Returns what violates the relation; undefined if it does not apply, or lacks a value. */
function findingsOf(
  { conditions, computations, expectations }: Relation,
  variables: Variables,
  context: RelationContext,
): readonly Finding[] | undefined {
  for (const condition of conditions) {
    const findings = matched(condition, variables, context)
    if (findings === undefined || findings.length > 0) return undefined
  }
  const known = new Map(variables)
  for (const { function: name, params, capture: captures } of computations) {
    const compute = Object.hasOwn(context.functions, name) ? context.functions[name] : undefined
    const filled = params.map((param) => filledOr(param, known))
    if (compute === undefined || filled.some((param) => param === undefined)) return undefined
    const result = computed(compute, filled as readonly JsonValue[])
    for (const [variable, path] of Object.entries(captures)) {
      const found = result === undefined ? undefined : capture(path, result)
      if (found === undefined) return undefined
      known.set(variable, found)
    }
  }
  const all = expectations.map((condition) => matched(condition, known, context))
  return all.some((findings) => findings === undefined)
    ? undefined
    : all.flatMap((findings) => findings ?? [])
}

/** A function refuses values that violate the schema. The schema's own check reports these. */
function computed(compute: ComputeFunction, params: readonly JsonValue[]): JsonValue | undefined {
  try {
    return compute(params)
  } catch {
    return undefined
  }
}

function matched(
  { value, is }: Condition,
  variables: Variables,
  { schemas }: RelationContext,
): readonly Finding[] | undefined {
  const actual = filledOr(value, variables)
  if (actual === undefined) return undefined
  const where = typeof value === 'string' ? value.replace(/^\$\{(.*)\}$/, '$1') : ''
  const { result: expected = null } = fillExpectation({ result: is }, variables)
  return matchValue(expected, actual, where, schemas)
}
