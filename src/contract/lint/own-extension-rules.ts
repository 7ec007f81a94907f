import type { Method } from '../contract.js'
import { ContractError } from '../contract-error.js'
import { type ExtendedObject, extendedObjects } from '../extended-objects.js'
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
import { canonicalPointer, joinPointer, pointerTokens } from '../json-pointer.js'
import {
  type LocatedSchema,
  referenceOf,
  schemaList,
  schemaMap,
  schemaMember,
  subschemas,
} from '../schema.js'
import type { LintProblem, LintRule, LintSubject } from './lint-rule.js'

/** Rules about the extensions that the tools of this project read; a contract without them is passed over. */
export const ownExtensionRules: readonly LintRule[] = [
  {
    name: 'extension-value',
    severity: 'warning',
    summary: 'Extensions that the tools read have values that they know.',
    check: (subject) => {
      const declared = arrayMember(subject.document, 'x-extensions').map((item) =>
        isObject(item) ? stringMember(item, 'name') : undefined,
      )
      return extendedObjects(subject.contract, subject.documents).flatMap((object) =>
        valueProblems(object, (name) => declared.includes(name)),
      )
    },
  },
  {
    name: 'volatile-leads-nowhere',
    severity: 'error',
    summary: 'The pointers of "x-volatile" lead to something in the result.',
    check: volatileProblems,
  },
  {
    name: 'unknown-extension-target',
    severity: 'error',
    summary: 'Methods, parameters and schemas that extensions name are in the contract.',
    check: (subject) => [
      ...subject.contract.methods.flatMap((method) => resultWhenProblems(subject, method)),
      ...headProblems(subject),
      ...envelopeProblems(subject),
      ...derivedProblems(subject),
    ],
  },
]

/** What an extension may be: a test, and the same in words. */
type Form = readonly [fits: (value: JsonValue) => boolean, words: string]

const oneOf = (...values: readonly JsonValue[]): Form => [
  (value) => values.includes(value),
  values.map((value) => JSON.stringify(value)).join(' or '),
]
const bool = oneOf(true, false)
const isStrings = (value: JsonValue) => isArray(value) && value.every((item) => typeof item === 'string')
const isPointer = (value: JsonValue) =>
  typeof value === 'string' && canonicalPointer(`#${value}`) !== undefined
const isRule = (value: JsonValue) =>
  isObject(value) &&
  (stringMember(value, 'id') ?? '') !== '' &&
  ['mandatory', 'advisory', undefined].includes(member(value, 'level') as string | undefined) &&
  ['service', 'method', undefined].includes(member(value, 'scope') as string | undefined)

const forms: Readonly<Record<string, Readonly<Record<string, Form>>>> = {
  infoObject: {
    'x-rules': [
      (value) => isArray(value) && value.every(isRule),
      'a list of {id, text, level: "mandatory" or "advisory", scope: "service" or "method"}',
    ],
  },
  methodObject: {
    'x-effect': oneOf('read', 'write'),
    'x-batchable': bool,
    'x-lookup': bool,
    'x-cost': [
      (value) => typeof value === 'number' && Number.isInteger(value) && value > 0,
      'a whole number from 1',
    ],
    'x-rules': [isStrings, 'a list of the ids of rules'],
    'x-volatile': [
      (value) => isArray(value) && value.every(isPointer),
      'a list of JSON pointers into the result, such as "/number", or "" for all of it',
    ],
  },
  errorObject: { 'x-data-optional': bool },
  examplePairingObject: {
    'x-replay': oneOf('exact', 'shape'),
    'x-rules': [isStrings, 'a list of the ids of rules'],
  },
}

/** @param isDeclared true for an extension whose form the document declares, so that the meta-schema checks it */
function valueProblems(
  { kind, pointer, value }: ExtendedObject,
  isDeclared: (name: string) => boolean,
): readonly LintProblem[] {
  return Object.entries(forms[kind] ?? {}).flatMap(([name, [fits, words]]) => {
    const given = member(value, name)
    if (given === undefined || isDeclared(name) || fits(given)) return []
    return [{ pointer: joinPointer(pointer, name), message: `concordat reads it, and knows it as ${words}` }]
  })
}

function volatileProblems({ contract }: LintSubject): readonly LintProblem[] {
  return contract.methods.flatMap(({ extensions, pointer, result }) => {
    const list = extensions['x-volatile']
    if (!isArray(list)) return []
    return list.flatMap((item, at) => {
      const tokens = typeof item === 'string' ? pointerTokens(`#${item}`) : undefined
      if (!tokens || (result && leadsTo(contract, result.schema, tokens))) return []
      const message = result
        ? `"${item}" leads nowhere in the result: correct it`
        : 'a notification has no result: remove it'
      return [{ pointer: joinPointer(pointer, 'x-volatile', at), message }]
    })
  })
}

/** True where a value of the schema may have something at the end of the pointer. */
function leadsTo(
  contract: LintSubject['contract'],
  schema: LocatedSchema,
  tokens: readonly string[],
): boolean {
  let here = new Map(alternatives(contract, schema).map((found) => [found.pointer, found]))
  for (const token of tokens) {
    const next = [...here.values()].flatMap((found) =>
      inside(found, token).flatMap((inner) => alternatives(contract, inner)),
    )
    here = new Map(next.map((found) => [found.pointer, found]))
    if (here.size === 0) return false
  }
  return true
}

/** A schema, what it refers to, and what it is composed of. */
function alternatives({ resolve }: LintSubject['contract'], start: LocatedSchema): readonly LocatedSchema[] {
  const found = new Map<string, LocatedSchema>()
  const waiting = [start]
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    if (found.has(next.pointer)) continue
    found.set(next.pointer, next)
    const reference = referenceOf(next.schema)
    if (reference !== undefined) {
      try {
        waiting.push(resolve(reference, next.pointer))
      } catch (error) {
        if (!(error instanceof ContractError)) throw error // told by the rule about references
      }
    }
    for (const keyword of ['allOf', 'anyOf', 'oneOf']) waiting.push(...schemaList(next, keyword))
    for (const keyword of ['then', 'else']) waiting.push(...[schemaMember(next, keyword) ?? []].flat())
  }
  return [...found.values()]
}

/** The schemas of a member or an item. */
function inside(located: LocatedSchema, token: string): readonly LocatedSchema[] {
  const { schema } = located
  if (schema === true) return [located]
  const own = schemaMap(located, 'properties').filter(([name]) => name === token)
  const items = /^(\d+|\*|-)$/.test(token)
    ? [...[schemaMember(located, 'items') ?? []].flat(), ...schemaList(located, 'items')]
    : []
  const others = ['additionalProperties', 'additionalItems'].flatMap(
    (keyword) => schemaMember(located, keyword) ?? [],
  )
  const patterns = schemaMap(located, 'patternProperties').map(([, inner]) => inner)
  return [...own.map(([, inner]) => inner), ...items, ...others, ...patterns].filter(
    (inner) => inner.schema !== false,
  )
}

function resultWhenProblems(
  { contract }: LintSubject,
  { extensions, params, pointer, name }: Method,
): readonly LintProblem[] {
  const list = extensions['x-result-when']
  if (!isArray(list)) return []
  return list.flatMap((item, at) => {
    if (!isObject(item)) return []
    const place = joinPointer(pointer, 'x-result-when', at)
    const param = stringMember(item, 'param')
    const unknown = param !== undefined && !params.some((known) => known.name === param)
    const schema = schemaMember({ pointer: place, schema: item }, 'schema')
    return [
      ...(unknown
        ? [
            {
              pointer: joinPointer(place, 'param'),
              message: `the method "${name}" has no parameter "${param}": correct the name`,
            },
          ]
        : []),
      ...(schema ? danglingIn(contract, schema) : []),
    ]
  })
}

function envelopeProblems({ contract, info }: LintSubject): readonly LintProblem[] {
  const envelope = { pointer: '#/info/x-envelope', schema: objectMember(info, 'x-envelope') }
  return ['request', 'response'].flatMap((name) => {
    const schema = schemaMember(envelope, name)
    return schema ? danglingIn(contract, schema) : []
  })
}

function danglingIn(contract: LintSubject['contract'], located: LocatedSchema): readonly LintProblem[] {
  const reference = referenceOf(located.schema)
  const inner = subschemas(located).flatMap((schema) => danglingIn(contract, schema))
  if (reference === undefined) return inner
  try {
    contract.resolve(reference, located.pointer)
    return inner
  } catch (error) {
    if (!(error instanceof ContractError)) throw error
    return [...error.problems, ...inner]
  }
}

function headProblems({ contract, info }: LintSubject): readonly LintProblem[] {
  const head = member(info, 'x-head')
  const method = isObject(head) ? stringMember(head, 'method') : undefined
  if (!isObject(head) || method === undefined) return []
  if (contract.methods.some(({ name }) => name === method)) {
    const [moving, params] = [arrayMember(head, 'moving'), arrayMember(head, 'params')]
    if (moving.length === 0 || params.some((param) => moving.includes(param))) return []
    const message = 'none of them is in "params": the head could not be asked for at another place'
    return [{ pointer: '#/info/x-head/moving', message }]
  }
  return [{ pointer: '#/info/x-head/method', message: `there is no method "${method}": correct the name` }]
}

function derivedProblems({ contract, info }: LintSubject): readonly LintProblem[] {
  const keys = new Set(contract.schemas.map(({ key }) => key))
  return arrayMember(info, 'x-derived-rules').flatMap((entry: JsonValue, at) =>
    arrayMember(isObject(entry) ? entry : ({} as JsonObject), 'schemas').flatMap((key, index) =>
      typeof key === 'string' && !keys.has(key)
        ? [
            {
              pointer: joinPointer('#/info/x-derived-rules', at, 'schemas', index),
              message: `there is no schema "${key}" in the components: correct the name`,
            },
          ]
        : [],
    ),
  )
}
