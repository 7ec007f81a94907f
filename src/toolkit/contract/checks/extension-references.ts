import type { ContractProblem } from '../contract-error.js'
import {
  arrayMember,
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  member,
  objectMember,
  stringMember,
} from '../json.js'
import { joinPointer, pointerTokens } from '../json-pointer.js'
import type { Documents } from '../load/documents.js'
import {
  type ContractReference,
  type ExtensionDeclaration,
  isOfMethod,
} from '../load/extension-declarations.js'
import type { Contract, Method } from '../model/contract.js'
import { extendedObjects } from '../model/extended-objects.js'
import { closure, leadsTo, target } from '../model/leads-to.js'
import { followed } from '../model/reachable-schemas.js'
import { isSchema, type LocatedSchema, schemaMap, subschemas } from '../model/schema.js'

/**
 * Schema keyword that states what a value of an extension refers to. OpenRPC's validator rejects unknown
 * formats, so it is not a `format`.
 */
const keyword = 'x-refers-to'

/** A value in an extension that refers to another part of the contract. */
interface ExtensionReference {
  readonly kind: string
  readonly value: JsonValue
  readonly pointer: string
}

/**
 * Finds dangling references in extensions, such as unknown methods, rules or networks, and pointers to
 * missing parameters.
 * @param contract the model of the contract
 * @param documents the files of the contract
 * @param declarations extension declarations; their schemas mark references with `x-refers-to`
 * @returns the problems that were found
 */
export function danglingExtensions(
  contract: Contract,
  documents: Documents,
  declarations: readonly ExtensionDeclaration[],
): readonly ContractProblem[] {
  const methods = new Map(contract.methods.map((method) => [method.pointer, method]))
  const names = namesOf(contract)
  return extendedObjects(contract, documents).flatMap((object) =>
    declarations.flatMap(({ name, kinds, schema }) => {
      const value = member(object.value, name)
      if (value === undefined || !kinds.includes(object.kind)) return []
      // Alternatives of a schema may yield the same reference.
      const found = referencesIn(schema, value, joinPointer(object.pointer, name))
      const references = new Map(
        found.map((reference) => [`${reference.kind} ${reference.pointer}`, reference]),
      )
      return [...references.values()].flatMap((reference) => [
        ...problemsOf(contract, reference, names, methods.get(object.pointer)).map((message) => ({
          pointer: reference.pointer,
          message,
          rule: 'unknown-extension-target',
        })),
        ...(reference.kind === 'json-schema' ? danglingIn(contract, reference) : []),
      ])
    }),
  )
}

/** Finds the references in a value according to its schema. */
function referencesIn(schema: JsonValue, value: JsonValue, pointer: string): readonly ExtensionReference[] {
  if (!isObject(schema)) return []
  const kind = stringMember(schema, keyword)
  const same = [
    ...arrayMember(schema, 'allOf'),
    ...['anyOf', 'oneOf'].flatMap((name) => arrayMember(schema, name)).filter((one) => isMeant(one, value)),
  ]
  const inner = isArray(value)
    ? value.flatMap((item, at) =>
        referencesIn(member(schema, 'items') ?? true, item, joinPointer(pointer, at)),
      )
    : isObject(value)
      ? Object.entries(value).flatMap(([name, item = null]) => inMember(schema, name, item, pointer))
      : []
  return [
    ...(kind === undefined ? [] : [{ kind, value, pointer }]),
    ...same.flatMap((other) => referencesIn(other, value, pointer)),
    ...inner,
  ]
}

/**
 * False for an alternative whose pattern the text does not match, for example if the text is a sentence and not an id.
 */
function isMeant(alternative: JsonValue, value: JsonValue): boolean {
  const pattern = isObject(alternative) ? stringMember(alternative, 'pattern') : undefined
  return pattern === undefined || typeof value !== 'string' || new RegExp(pattern, 'u').test(value)
}

function inMember(
  schema: JsonObject,
  name: string,
  item: JsonValue,
  pointer: string,
): readonly ExtensionReference[] {
  const place = joinPointer(pointer, name)
  const own = member(objectMember(schema, 'properties'), name) ?? member(schema, 'additionalProperties')
  return [
    ...referencesIn(member(schema, 'propertyNames') ?? true, name, place),
    ...referencesIn(own ?? true, item, place),
  ]
}

type Names = Readonly<Record<ContractReference, ReadonlySet<string>>>

function namesOf({ methods, errors, schemas, info }: Contract): Names {
  const keys = (extension: string) => new Set(Object.keys(objectMember(info, extension)))
  const rules = arrayMember(info, 'x-rules').flatMap((rule) =>
    isObject(rule) ? (stringMember(rule, 'id') ?? []) : [],
  )
  const networks = Object.values(objectMember(info, 'x-networks')).filter(isObject)
  const members = networks.map((network) => Object.keys(network))
  return {
    method: new Set(methods.map(({ name }) => name)),
    error: new Set(errors.map(({ key }) => key)),
    schema: new Set(schemas.map(({ key }) => key)),
    rule: new Set(rules),
    failure: keys('x-failures'),
    limit: keys('x-limits'),
    scope: keys('x-scopes'),
    network: keys('x-networks'),
    'network-member': new Set(members[0]?.filter((name) => members.every((all) => all.includes(name)))),
  }
}

/** Describes the problems of a reference. */
function problemsOf(
  contract: Contract,
  { kind, value }: ExtensionReference,
  names: Names,
  method: Method | undefined,
): readonly string[] {
  if (typeof value !== 'string') return []
  const known = Object.hasOwn(names, kind) ? names[kind as keyof Names] : undefined
  if (known) return known.has(value) ? [] : [`unknown ${kind.replace('-', ' ')} "${value}": correct the name`]
  if (!method || !isOfMethod(kind)) return []
  const problem = problemInMethod(contract, kind, value, method)
  return problem === undefined ? [] : [problem]
}

function problemInMethod(
  contract: Contract,
  kind: string,
  text: string,
  { name, params, result }: Method,
): string | undefined {
  if (kind === 'parameter') {
    const isKnown = params.some((param) => param.name === text)
    return isKnown ? undefined : `the method "${name}" has no parameter "${text}": correct the name`
  }
  if (kind === 'parameter-pointer') {
    const [first, ...rest] = pointerTokens(`#${text}`) ?? []
    const param = params.find((candidate) => candidate.name === first)
    if (param && leadsTo(contract, param.schema, rest)) return undefined
    return `"${text}" does not exist in the parameters of "${name}": correct the path`
  }
  if (!result) return 'a notification has no result: remove this reference'
  const tokens = pointerTokens(`#${text}`)
  const isFound =
    kind === 'result-member'
      ? memberNames(contract, result.schema).has(text)
      : tokens !== undefined && leadsTo(contract, result.schema, tokens)
  return isFound ? undefined : `"${text}" does not exist in the result of "${name}": correct the path`
}

/** Finds the dangling references of a schema. */
function danglingIn(contract: Contract, { value, pointer }: ExtensionReference): readonly ContractProblem[] {
  const problems: ContractProblem[] = []
  const waiting: LocatedSchema[] = isSchema(value) ? [{ pointer, schema: value }] : []
  for (let located = waiting.pop(); located; located = waiting.pop()) {
    followed(located, contract, (error) => problems.push(...error.problems))
    waiting.push(...subschemas(located))
  }
  return problems.map((problem) => ({ ...problem, rule: 'unknown-extension-target' }))
}

/** Returns the names of all members that values of the schema may have, at any depth. */
function memberNames(contract: Contract, start: LocatedSchema): ReadonlySet<string> {
  const names = new Set<string>()
  for (const located of closure(start, (next) => [...subschemas(next), ...target(contract, next)])) {
    for (const [name] of schemaMap(located, 'properties')) names.add(name)
  }
  return names
}
