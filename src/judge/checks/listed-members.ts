import {
  type Contract,
  followed,
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  type LocatedSchema,
  member,
  parseJson,
  schemaList,
  schemaMap,
  schemaMember,
  stringMember,
} from '../../toolkit/contract/index.js'
import { isTest } from '../expect/matcher.js'
import type { Expectation } from '../scenario/scenario.js'
import type { ReplyView } from '../send/reply-view.js'

/** Reduces answers and expectations to the members that the contract lists (`--members listed`). */
export interface ListedMembers {
  /** @param methods the methods of the calls in order; undefined for one that is unknown */
  readonly view: (view: ReplyView, methods: readonly (string | undefined)[]) => ReplyView
  readonly expectation: (expected: Expectation, methods: readonly (string | undefined)[]) => Expectation
}

/**
 * Creates the reduction for a contract. Objects lose the members that their schema does not list. Objects whose
 * schema lists no member or allows a map of values are unchanged, and so are errors.
 */
export function createListedMembers(contract: Contract): ListedMembers {
  const results = new Map(contract.methods.map(({ name, result }) => [name, result?.schema]))

  const listed = (value: JsonValue, located: LocatedSchema | undefined): JsonValue =>
    located === undefined ? value : reduced(value, [located])

  const answer = (value: JsonValue, method: string | undefined): JsonValue => {
    const result = isObject(value) ? member(value, 'result') : undefined
    if (!isObject(value) || result === undefined || method === undefined) return value
    return { ...value, result: listed(result, results.get(method)) }
  }

  const answers = (body: JsonValue, methods: readonly (string | undefined)[]): JsonValue => {
    if (isTest(body)) {
      const has = body['$has']
      return isObject(has) ? { ...body, $has: answer(has, methods[0]) } : body
    }
    return isArray(body) ? body.map((item, at) => answer(item, methods[at])) : answer(body, methods[0])
  }

  return {
    view: (view, methods) =>
      view.json === undefined ? view : { ...view, json: answers(view.json, methods) },
    expectation: (expected, methods) => {
      const { result, items, body } = expected
      const ofMethod = (value: JsonValue, at: number) => listed(value, results.get(methods[at] ?? ''))
      return {
        ...expected,
        ...(result !== undefined && { result: ofMethod(result, 0) }),
        ...(items !== undefined && {
          items: items.map((item, at) =>
            item.result === undefined ? item : { ...item, result: ofMethod(item.result, at) },
          ),
        }),
        ...(body !== undefined && { body: answers(body, methods) }),
      }
    },
  }

  /** Reduces a value, or a matcher of a value, to what any of the schemas lists. */
  function reduced(value: JsonValue, located: readonly LocatedSchema[]): JsonValue {
    const schemas = located.flatMap((one) => alternatives(one))
    if (isArray(value)) {
      const items = schemas.flatMap((one) => schemaMember(one, 'items') ?? [])
      return items.length === 0 ? value : value.map((item) => reduced(item, items))
    }
    if (!isObject(value)) return value
    return isTest(value) ? reducedTest(value, schemas) : reducedMembers(value, schemas)
  }

  function reducedTest(test: JsonObject, schemas: readonly LocatedSchema[]): JsonObject {
    const items = schemas.flatMap((one) => schemaMember(one, 'items') ?? [])
    const entries = Object.entries(test).map(([name, argument = null]) => {
      if (name === '$has' && isObject(argument)) return [name, reducedMembers(argument, schemas)]
      if (name === '$is') return [name, reduced(argument, schemas)]
      return ['$each', '$contains'].includes(name) ? [name, reduced(argument, items)] : [name, argument]
    })
    return Object.fromEntries(entries)
  }

  function reducedMembers(value: JsonObject, schemas: readonly LocatedSchema[]): JsonObject {
    const properties = schemas.flatMap((one) => schemaMap(one, 'properties'))
    if (properties.length === 0 || schemas.some(isMap)) return value
    const entries = Object.entries(value).flatMap(([name, item = null]) => {
      const ofName = properties.flatMap(([property, schema]) => (property === name ? [schema] : []))
      return ofName.length === 0 ? [] : [[name, reduced(item, ofName)] as const]
    })
    return Object.fromEntries(entries)
  }

  /** Returns a schema with the targets of its references and the branches of its unions. */
  function alternatives(located: LocatedSchema, seen = new Set<string>()): readonly LocatedSchema[] {
    if (seen.has(located.pointer)) return []
    seen.add(located.pointer)
    const target = followed(located, contract)
    const lists = ['allOf', 'anyOf', 'oneOf'].flatMap((keyword) => schemaList(located, keyword))
    const branches = ['then', 'else'].flatMap((keyword) => schemaMember(located, keyword) ?? [])
    const inner = [...(target ? [target] : []), ...lists, ...branches]
    return [located, ...inner.flatMap((one) => alternatives(one, seen))]
  }
}

function isMap({ schema }: LocatedSchema): boolean {
  if (!isObject(schema)) return false
  return isObject(member(schema, 'additionalProperties')) || member(schema, 'patternProperties') !== undefined
}

/** Returns the methods of the calls in a body; undefined for an item that is no call. */
export function methodsIn(body: Uint8Array | undefined): readonly (string | undefined)[] {
  const json = parseJson(Buffer.from(body ?? []).toString())
  if (json === undefined) return []
  return (isArray(json) ? json : [json]).map((item) =>
    isObject(item) ? stringMember(item, 'method') : undefined,
  )
}
