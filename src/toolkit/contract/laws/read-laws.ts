import { closest, distance } from 'fastest-levenshtein'
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
import { joinPointer } from '../json-pointer.js'
import type { Contract, Method } from '../model/contract.js'
import { leadsTo } from '../model/leads-to.js'
import { lawIn, pathTokens, sortKey, tokensOf } from './build-law.js'
import { expressionIn } from './expression.js'
import type { LawProblem, StatedLaw } from './law.js'
import { commonMembers, type LawForm, lawForms, lawMembers } from './law-forms.js'

/** Reads the laws that methods state in `x-laws`, in the document's order, with their mistakes. */
export function readLaws(contract: Contract): readonly StatedLaw[] {
  return contract.methods.flatMap((method) =>
    arrayMember(method.extensions, 'x-laws').map((value, at): StatedLaw => {
      const pointer = joinPointer(method.pointer, 'x-laws', at)
      const problems = isObject(value)
        ? problemsOf({ contract, method, value, pointer })
        : [{ pointer, message: 'is no object: write {"law": …}' }]
      const law = isObject(value) && problems.length === 0 ? lawIn(contract, method, value) : undefined
      const rule = isObject(value) ? stringMember(value, 'rule') : undefined
      const when = isObject(value) ? objectMember(value, 'when') : {}
      return { method, pointer, rule, when, law, problems }
    }),
  )
}

interface Subject {
  readonly contract: Contract
  readonly method: Method
  readonly value: JsonObject
  readonly pointer: string
}

function problemsOf(subject: Subject): readonly LawProblem[] {
  const { value, pointer } = subject
  const name = stringMember(value, 'law')
  if (name === undefined) return [{ pointer, message: 'has no "law": name one' }]
  const form = Object.hasOwn(lawForms, name) ? lawForms[name] : undefined
  if (form === undefined) {
    const hint = nearest(name, Object.keys(lawForms)) ?? Object.keys(lawForms).join(', ')
    return [{ pointer: joinPointer(pointer, 'law'), message: `"${name}" is no law: ${hint}` }]
  }
  const formed = formProblems(subject, name, form)
  if (formed.length > 0) return formed
  return Object.entries(value).flatMap(([key, content = null]) =>
    key === 'law' ? [] : contentProblems(subject, key, content),
  )
}

/** Finds unknown and missing members. */
function formProblems({ value, pointer }: Subject, name: string, form: LawForm): readonly LawProblem[] {
  const { required, oneOf = [], optional = [] } = form
  const known = [...required, ...oneOf, ...optional, ...commonMembers]
  const unknown = Object.keys(value)
    .filter((key) => key !== 'law' && !known.includes(key))
    .map((key) => ({
      pointer: joinPointer(pointer, key),
      message: `the law "${name}" has no member "${key}": ${nearest(key, known) ?? `known are ${known.join(', ')}`}`,
    }))
  const missing = required
    .filter((key) => member(value, key) === undefined)
    .map((key) => ({ pointer, message: `the law "${name}" needs "${key}": add it` }))
  const given = oneOf.filter((key) => member(value, key) !== undefined)
  const choice =
    oneOf.length === 0 || given.length === 1
      ? []
      : [{ pointer, message: `the law "${name}" needs exactly one of ${oneOf.join(', ')}` }]
  return [...unknown, ...missing, ...choice, ...togetherProblems(value, pointer)]
}

/** Finds members without the one that they belong to. */
function togetherProblems(value: JsonObject, pointer: string): readonly LawProblem[] {
  const pairs = [
    ['cursor', 'next'],
    ['next', 'cursor'],
    ['params', 'method'],
  ] as const
  return pairs
    .filter(([one, other]) => member(value, one) !== undefined && member(value, other) === undefined)
    .map(([one, other]) => ({ pointer, message: `"${one}" needs "${other}": add it, or remove "${one}"` }))
}

function contentProblems(subject: Subject, key: string, content: JsonValue): readonly LawProblem[] {
  const { contract, method, value } = subject
  const pointer = joinPointer(subject.pointer, key)
  const problem = (message: string | undefined) => (message === undefined ? [] : [{ pointer, message }])
  const other = contract.methods.find(({ name }) => name === stringMember(value, 'method'))
  const isOfOther = stringMember(value, 'law') === 'first-of' && key === 'list'
  switch (isOfOther ? 'other-pointer' : lawMembers[key]) {
    case 'own-pointer':
      return problem(pathProblem(contract, method, content))
    case 'other-pointer': {
      const target = member(value, 'method') === undefined ? method : other
      return target ? problem(pathProblem(contract, target, content)) : []
    }
    case 'item-pointer': {
      const list = `${stringMember(value, 'list') ?? ''}/0`
      if (typeof content !== 'string' || other === undefined) return problem(pointerForm(content))
      const isPath = pointerForm(content) === undefined
      return problem(isPath ? pathProblem(contract, other, list + content) : pointerForm(content))
    }
    case 'parameter':
      return problem(paramProblem(method, content))
    case 'method':
      return problem(methodProblem(contract, content))
    case 'params':
      return paramsProblems(subject, stringMember(value, 'method'), content, pointer, true)
    case 'calls':
      return callsProblems(subject, content, pointer)
    case 'sort-keys':
      return sortProblems(subject, content, pointer)
    case 'condition':
      if (!isObject(content)) return problem('must be an object of values by parameter')
      return Object.keys(content).flatMap((name) => {
        const message = paramProblem(method, name)
        return message === undefined ? [] : [{ pointer: joinPointer(pointer, name), message }]
      })
    case 'asked':
      return isObject(content)
        ? Object.entries(content).flatMap(([name, path = null]) => [
            ...memberProblems(subject, name, pointer),
            ...askedProblems(subject, path, joinPointer(pointer, name)),
          ])
        : problem('must be an object of paths in the parameters by member')
    case 'bounds':
      return isObject(content)
        ? Object.entries(content).flatMap(([name, pair = null]) => {
            const place = joinPointer(pointer, name)
            if (!isArray(pair) || pair.length !== 2)
              return [{ pointer: place, message: 'must be a list of two paths in the parameters' }]
            return [
              ...memberProblems(subject, name, pointer),
              ...pair.flatMap((path, at) => askedProblems(subject, path, joinPointer(place, at))),
            ]
          })
        : problem('must be an object of two paths in the parameters by member')
    case 'asked-path':
      return askedProblems(subject, content, pointer)
    case 'true':
      return content === true ? [] : problem('must be true, or absent')
    case 'rule': {
      const rules = arrayMember(contract.info, 'x-rules').flatMap((rule) =>
        isObject(rule) ? (stringMember(rule, 'id') ?? []) : [],
      )
      const isKnown = typeof content === 'string' && rules.includes(content)
      return isKnown ? [] : problem(`unknown rule ${JSON.stringify(content)}: correct the name`)
    }
    default:
      return []
  }
}

function pointerForm(content: JsonValue): string | undefined {
  const isPointer = typeof content === 'string' && (content === '' || content.startsWith('/'))
  return isPointer ? undefined : 'must be a JSON pointer, such as "/items"'
}

function pathProblem(contract: Contract, { name, result }: Method, content: JsonValue): string | undefined {
  const form = pointerForm(content)
  if (form !== undefined || typeof content !== 'string') return form
  if (!result) return `"${name}" has no result: it is a notification`
  return leadsTo(contract, result.schema, tokensOf(content))
    ? undefined
    : `"${content}" does not exist in the result of "${name}": correct the path`
}

function methodProblem({ methods }: Contract, content: JsonValue): string | undefined {
  const names = methods.map(({ name }) => name)
  if (typeof content !== 'string') return 'must be the name of a method'
  if (names.includes(content)) return undefined
  return `unknown method "${content}": ${nearest(content, names) ?? 'correct the name'}`
}

function paramProblem({ name, params }: Method, content: JsonValue): string | undefined {
  const names = params.map((param) => param.name)
  if (typeof content !== 'string') return 'must be the name of a parameter'
  if (names.includes(content)) return undefined
  return `the method "${name}" has no parameter "${content}": ${nearest(content, names) ?? 'correct the name'}`
}

/** @param hasResult true if expressions may read the result of the method */
function paramsProblems(
  { contract, method }: Subject,
  called: string | undefined,
  content: JsonValue,
  pointer: string,
  hasResult: boolean,
): readonly LawProblem[] {
  if (!isObject(content)) return [{ pointer, message: 'must be an object of parameters by name' }]
  const target = contract.methods.find(({ name }) => name === called)
  if (target === undefined) return []
  const unknown = Object.keys(content).flatMap((name) => {
    const message = paramProblem(target, name)
    return message === undefined ? [] : [{ pointer: joinPointer(pointer, name), message }]
  })
  const missing = target.params
    .filter(({ name, required }) => required && member(content, name) === undefined)
    .map(({ name }) => ({ pointer, message: `"${target.name}" requires the parameter "${name}": add it` }))
  const expressions = Object.entries(content).flatMap(([name, value = null]) => {
    const message = expressionProblem(contract, method, value, hasResult)
    return message === undefined ? [] : [{ pointer: joinPointer(pointer, name), message }]
  })
  return [...unknown, ...missing, ...expressions]
}

function expressionProblem(
  contract: Contract,
  { name, params, result }: Method,
  value: JsonValue,
  hasResult: boolean,
): string | undefined {
  const expression = expressionIn(value)
  if (expression === undefined) {
    const isMeant = typeof value === 'string' && value.includes('${')
    return isMeant ? `"${value}" is no expression: write \${params.NAME} or \${result.PATH}` : undefined
  }
  const [first, ...rest] = expression.path
  const shown = String(value)
  if (expression.source === 'params') {
    const param = params.find((one) => one.name === first)
    const isFound = param !== undefined && leadsTo(contract, param.schema, rest)
    return isFound ? undefined : `"${shown}" does not exist in the parameters of "${name}": correct the path`
  }
  if (!hasResult) return `"${shown}": this call is sent before there is a result: use \${params.NAME}`
  const isFound = result !== undefined && leadsTo(contract, result.schema, expression.path)
  return isFound ? undefined : `"${shown}" does not exist in the result of "${name}": correct the path`
}

function callsProblems(subject: Subject, content: JsonValue, pointer: string): readonly LawProblem[] {
  if (!isArray(content) || content.length === 0)
    return [{ pointer, message: 'must be a list of {method, params}, with at least one' }]
  return content.flatMap((call, at): readonly LawProblem[] => {
    const place = joinPointer(pointer, at)
    if (!isObject(call)) return [{ pointer: place, message: 'must be an object {method, params}' }]
    const unknown = Object.keys(call).filter((key) => key !== 'method' && key !== 'params')
    const name = member(call, 'method') ?? null
    const message = methodProblem(subject.contract, name)
    const params = member(call, 'params') ?? {}
    return [
      ...unknown.map((key) => ({
        pointer: joinPointer(place, key),
        message: `a call has no member "${key}": known are method, params`,
      })),
      ...(message === undefined ? [] : [{ pointer: place, message }]),
      ...(typeof name === 'string'
        ? paramsProblems(subject, name, params, joinPointer(place, 'params'), false)
        : []),
    ]
  })
}

function sortProblems(
  { contract, method, value }: Subject,
  content: JsonValue,
  pointer: string,
): readonly LawProblem[] {
  if (!isArray(content) || content.length === 0 || !content.every((key) => typeof key === 'string'))
    return [{ pointer, message: 'must be a list of members, such as ["-price", "id"]' }]
  const stated = member(value, 'list') ?? null
  if (typeof stated !== 'string' || pathProblem(contract, method, stated) !== undefined) return []
  const list = tokensOf(stated)
  return content.flatMap((key, at) => {
    const { path } = sortKey(key)
    if (method.result && leadsTo(contract, method.result.schema, [...list, '*', ...path])) return []
    const message = `the items have no member "${path.join('/')}": correct the path`
    return [{ pointer: joinPointer(pointer, at), message }]
  })
}

/** Reports a member that the items of the list do not have, or the result of a law without a list. */
function memberProblems(
  { contract, method, value }: Subject,
  name: string,
  pointer: string,
): readonly LawProblem[] {
  const list = stringMember(value, 'list')
  const place = list === undefined ? [] : [...tokensOf(list), '*']
  if (!method.result || leadsTo(contract, method.result.schema, [...place, ...pathTokens(name)])) return []
  const owner = list === undefined ? 'the result has' : 'the items have'
  return [{ pointer: joinPointer(pointer, name), message: `${owner} no member "${name}": correct the path` }]
}

/** Reports a path that the parameters do not have. */
function askedProblems(
  { contract, method }: Subject,
  path: JsonValue,
  pointer: string,
): readonly LawProblem[] {
  if (typeof path !== 'string') return [{ pointer, message: 'must be a path, such as "filter/side"' }]
  const [first = '', ...rest] = pathTokens(path)
  const param = method.params.find(({ name }) => name === first)
  if (param !== undefined && leadsTo(contract, param.schema, rest)) return []
  return [
    { pointer, message: `"${path}" does not exist in the parameters of "${method.name}": correct the path` },
  ]
}

/** Suggests the nearest of the known names. */
function nearest(name: string, known: readonly string[]): string | undefined {
  if (known.length === 0) return undefined
  const meant = closest(name, [...known])
  return distance(name, meant) <= Math.ceil(name.length / 3) ? `did you mean "${meant}"?` : undefined
}
