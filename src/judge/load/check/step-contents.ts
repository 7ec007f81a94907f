import {
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  joinPointer,
  member,
  objectMember,
  stringMember,
} from '../../../toolkit/contract/index.js'

/** A value and its JSON pointer, in fragment form. */
export interface Placed<Value extends JsonValue = JsonValue> {
  readonly pointer: string
  readonly value: Value
}

/** The parts of a step, for checks that treat all steps alike. Malformed parts are left out. */
export interface StepContents {
  /** All values in which `${…}` is a variable. */
  readonly templates: readonly Placed[]
  readonly expectations: readonly Placed<JsonObject>[]
  /** Tolerances and their conditions. */
  readonly tolerances: readonly Placed<JsonObject>[]
  readonly jsonPaths: readonly Placed<string>[]
  /** Patterns of `capture-header`. */
  readonly headerPatterns: readonly Placed<string>[]
  readonly requestIds: readonly Placed<string>[]
  /** Names of the variables that the step captures. */
  readonly captured: readonly string[]
}

/** Collects the parts of a step, including its nested steps. */
export function stepContents(step: JsonObject, pointer: string): StepContents {
  const [own, ...within] = [{ pointer, value: step }, ...stepsWithin(step, pointer)].map(ownContents)
  return within.reduce(joined, own ?? ownContents({ pointer, value: step }))
}

/** Returns the steps of `parallel` with their places. */
export function stepsWithin(step: JsonObject, pointer: string): readonly Placed<JsonObject>[] {
  return objects(
    childrenOf({ pointer: joinPointer(pointer, 'parallel'), value: member(step, 'parallel') ?? null }),
  )
}

function joined(one: StepContents, other: StepContents): StepContents {
  return {
    templates: [...one.templates, ...other.templates],
    expectations: [...one.expectations, ...other.expectations],
    tolerances: [...one.tolerances, ...other.tolerances],
    jsonPaths: [...one.jsonPaths, ...other.jsonPaths],
    headerPatterns: [...one.headerPatterns, ...other.headerPatterns],
    requestIds: [...one.requestIds, ...other.requestIds],
    captured: [...one.captured, ...other.captured],
  }
}

function ownContents({ pointer, value: step }: Placed<JsonObject>): StepContents {
  const named = (name: string): readonly Placed[] => {
    const value = member(step, name)
    return value === undefined ? [] : [{ pointer: joinPointer(pointer, name), value }]
  }
  const repeat = named('repeat-until').flatMap(childrenOf)
  const repeated = repeat.filter((child) => child.pointer.endsWith('/expect'))
  const calls = [{ pointer, value: step }, ...objects(named('batch').flatMap(childrenOf))]
  const tolerances = objects(
    [...named('tolerate'), ...named('inconclusive')]
      .flatMap(childrenOf)
      .flatMap(childrenOf)
      .filter((child) => /\/(expect|only-if)$/.test(child.pointer)),
  )
  const condition = named('is').map(({ value }) => ({ pointer, value: { is: value } }))
  const expectations = objects([...named('expect'), ...repeated, ...condition])
  return {
    templates: [
      ...['call', 'id', 'params', 'batch', 'headers', 'path', 'key', 'skip-unless'].flatMap(named),
      ...named('raw').flatMap(rawTemplates),
      ...repeat.filter((child) => child.pointer.endsWith('/at-most')),
      ...expectations,
      ...tolerances,
    ],
    expectations,
    tolerances,
    jsonPaths: texts(named('capture').flatMap(childrenOf)),
    headerPatterns: texts(
      named('capture-header')
        .flatMap(childrenOf)
        .flatMap(childrenOf)
        .filter((child) => child.pointer.endsWith('/pattern')),
    ),
    requestIds: calls.flatMap((call) => {
      const id = stringMember(call.value, 'id')
      return id === undefined ? [] : [{ pointer: joinPointer(call.pointer, 'id'), value: id }]
    }),
    captured: ['capture', 'capture-header'].flatMap((name) => Object.keys(objectMember(step, name))),
  }
}

/** Hexadecimal bytes contain no variables. */
function rawTemplates(raw: Placed): readonly Placed[] {
  if (typeof raw.value === 'string') return [raw]
  return childrenOf(raw).flatMap((part) => (isObject(part.value) ? childrenOf(part) : [part]))
}

/** Returns the members or items of a value with their places. */
export function childrenOf({ pointer, value }: Placed): readonly Placed[] {
  if (isArray(value)) return value.map((item, at) => ({ pointer: joinPointer(pointer, at), value: item }))
  if (!isObject(value)) return []
  return Object.keys(value).map((name) => ({
    pointer: joinPointer(pointer, name),
    value: member(value, name) ?? null,
  }))
}

function objects(places: readonly Placed[]): readonly Placed<JsonObject>[] {
  return places.flatMap(({ pointer, value }) => (isObject(value) ? [{ pointer, value }] : []))
}

function texts(places: readonly Placed[]): readonly Placed<string>[] {
  return places.flatMap(({ pointer, value }) => (typeof value === 'string' ? [{ pointer, value }] : []))
}
