import {
  type Contract,
  followed,
  isArray,
  isObject,
  type JsonValue,
  type LocatedSchema,
  type Method,
  member,
  schemaList,
  schemaMap,
  schemaMember,
} from '../../../toolkit/contract/index.js'
import { createSchemaChecker } from '../../checks/schema-checker.js'
import { schemaDocument } from '../../checks/schema-document.js'
import { hasValidParams } from '../../checks/valid-params.js'
import type { AnswerCoverage } from '../../report/index.js'

/** Maximum number of items of a list that are looked at. */
const itemsMost = 20

/** An answered call. */
export interface AnsweredCall {
  /** Undefined if the request was not made of calls. */
  readonly method: string | undefined
  readonly params: JsonValue | undefined
  readonly answer: JsonValue
  /** The form in which the call was sent, in words; undefined for a plain request. */
  readonly form?: string | undefined
}

/** Records which parts of a contract the answers of a run had. */
export interface CoverageRecorder {
  readonly see: (call: AnsweredCall) => void
  readonly summary: () => AnswerCoverage
}

/**
 * Creates a recorder of answers. A method counts as covered when a call with valid parameters got a result. A
 * member of a result counts when a result had it, a branch when a value fitted it, and an error when an answer
 * had its code.
 */
export function createCoverage(contract: Contract): CoverageRecorder {
  const methods = contract.methods.filter(({ result }) => result !== undefined)
  const byName = new Map(methods.map((method) => [method.name, method]))
  const places = placesOf(contract, methods)
  const check = createSchemaChecker(schemaDocument(contract, places.schemas))
  const fits = ({ pointer }: LocatedSchema, value: JsonValue) => check(pointer, value).length === 0
  const seen = { methods: new Set<string>(), members: new Set<string>(), branches: new Set<string>() }
  const codes = new Set<JsonValue>()
  return {
    see: ({ method: name, params, answer }) => {
      const method = name === undefined ? undefined : byName.get(name)
      const error = isObject(answer) ? member(answer, 'error') : undefined
      const code = isObject(error) ? member(error, 'code') : undefined
      if (code !== undefined) codes.add(code)
      const result = isObject(answer) ? member(answer, 'result') : undefined
      if (method?.result === undefined || result === undefined) return
      if (!seen.methods.has(method.name) && hasValidParams(method, params, fits))
        seen.methods.add(method.name)
      mark(result, method.result.schema)
    },
    summary: () => ({
      methods: part(
        methods.map(({ name }) => name),
        seen.methods,
      ),
      members: part(places.members, seen.members),
      branches: part(places.branches, seen.branches),
      errors: part(
        [...new Set(contract.errors.map(({ code }) => code))].map(String),
        new Set([...codes].map(String)),
      ),
    }),
  }

  function mark(value: JsonValue, located: LocatedSchema): void {
    for (const { place, schema } of branchesOf(located)) {
      if (!fits(schema, value)) continue
      seen.branches.add(place)
      mark(value, schema)
    }
    const target = followed(located, contract)
    for (const one of [...(target ? [target] : []), ...schemaList(located, 'allOf')]) mark(value, one)
    if (isObject(value)) {
      for (const [name, inner] of schemaMap(located, 'properties')) {
        const found = member(value, name)
        if (found === undefined) continue
        seen.members.add(inner.pointer)
        mark(found, inner)
      }
    }
    const items = schemaMember(located, 'items')
    if (isArray(value) && items) for (const item of value.slice(0, itemsMost)) mark(item, items)
  }
}

function part(all: readonly string[], seen: ReadonlySet<string>): AnswerCoverage['methods'] {
  const reached = all.filter((one) => seen.has(one))
  return { total: all.length, seen: reached.length, reached, never: all.filter((one) => !seen.has(one)) }
}

/** A branch of a union. */
interface Branch {
  readonly place: string
  readonly schema: LocatedSchema
}

function branchesOf(located: LocatedSchema): readonly Branch[] {
  return ['oneOf', 'anyOf'].flatMap((keyword) =>
    schemaList(located, keyword).map((schema) => ({ place: schema.pointer, schema })),
  )
}

/** Lists the members and branches that results can have, each once. */
function placesOf(contract: Contract, methods: readonly Method[]) {
  const visited = new Set<string>()
  const members = new Set<string>()
  const branches = new Map<string, LocatedSchema>()
  const waiting = methods.flatMap(({ result }) => (result ? [result.schema] : []))
  for (let located = waiting.pop(); located; located = waiting.pop()) {
    if (visited.has(located.pointer)) continue
    visited.add(located.pointer)
    const here = located
    const target = followed(here, contract)
    const own = branchesOf(here)
    for (const { place, schema } of own) branches.set(place, schema)
    const properties = schemaMap(here, 'properties').map(([, inner]) => inner)
    for (const { pointer } of properties) members.add(pointer)
    const items = schemaMember(here, 'items')
    waiting.push(
      ...(target ? [target] : []),
      ...schemaList(here, 'allOf'),
      ...own.map(({ schema }) => schema),
      ...properties,
      ...(items ? [items] : []),
    )
  }
  return {
    members: [...members].sort(),
    branches: [...branches.keys()].sort(),
    schemas: [...branches.values()],
  }
}
