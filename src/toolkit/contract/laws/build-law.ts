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
import { pointerTokens } from '../json-pointer.js'
import type { Contract, Method } from '../model/contract.js'
import type { Asked, Bounds, Law, LawCall, PageStep, SortKey, Tokens } from './law.js'

/** Reads a JSON pointer. */
export function tokensOf(pointer: string): Tokens {
  return pointerTokens(`#${pointer}`) ?? []
}

/** Reads a member of items: `price` or `owner/name`, after a hyphen for the opposite order. */
export function sortKey(text: string): SortKey {
  const isDescending = text.startsWith('-')
  const name = isDescending ? text.slice(1) : text
  return { path: pathTokens(name), isDescending }
}

/** Reads a path such as `owner/name`. The empty path is the value itself. */
export function pathTokens(path: string): Tokens {
  return path === '' ? [] : path.split('/')
}

/** Builds a law that has no mistakes. Returns undefined for laws that are checked only by generated calls. */
export function lawIn(contract: Contract, method: Method, value: JsonObject): Law | undefined {
  const path = (name: string) => tokensOf(stringMember(value, name) ?? '')
  const call = callIn(contract, value)
  switch (stringMember(value, 'law')) {
    case 'sorted':
      return {
        kind: 'sorted',
        list: path('list'),
        by: arrayMember(value, 'by').map((key) => sortKey(String(key))),
      }
    case 'adds-up': {
      const isCount = member(value, 'count') === true
      return { kind: 'adds-up', total: path('total'), parts: path('parts'), isCount, of: call }
    }
    case 'pages': {
      const total = member(value, 'total') === undefined ? undefined : path('total')
      const size = stringMember(value, 'size') ?? ''
      return { kind: 'pages', list: path('list'), size, step: pageStep(method, value), total }
    }
    case 'first-of':
      return (
        call && {
          kind: 'first-of',
          of: call,
          list: path('list'),
          first: path('first'),
          result: path('result'),
        }
      )
    case 'undone-by': {
      const observe = arrayMember(value, 'observe')
        .filter(isObject)
        .flatMap((one) => callIn(contract, one) ?? [])
      return call && { kind: 'undone-by', by: call, observe }
    }
    case 'subset-by':
      return { kind: 'subset-by', list: path('list'), members: askedIn(value), bounds: boundsIn(value) }
    case 'echoes':
      return { kind: 'echoes', members: askedIn(value) }
    case 'partition': {
      const [from, to] = ['from', 'to'].map((name) => pathTokens(stringMember(value, name) ?? ''))
      return { kind: 'partition', list: path('list'), from: from ?? [], to: to ?? [] }
    }
    default:
      return undefined
  }
}

function askedIn(value: JsonObject): readonly Asked[] {
  return Object.entries(objectMember(value, 'members')).map(([name, path]) => ({
    member: pathTokens(name),
    param: pathTokens(String(path)),
  }))
}

function boundsIn(value: JsonObject): readonly Bounds[] {
  return Object.entries(objectMember(value, 'bounds')).map(([name, pair]) => {
    const [from = [], to = []] = (isArray(pair ?? null) ? (pair as readonly JsonValue[]) : []).map((path) =>
      pathTokens(String(path)),
    )
    return { member: pathTokens(name), from, to }
  })
}

function callIn({ methods }: Contract, value: JsonObject): LawCall | undefined {
  const method = methods.find(({ name }) => name === stringMember(value, 'method'))
  const params = objectMember(value, 'params') as LawCall['params']
  return method && { method, params }
}

function pageStep(method: Method, value: JsonObject): PageStep {
  const cursor = stringMember(value, 'cursor')
  if (cursor !== undefined)
    return { kind: 'cursor', param: cursor, next: tokensOf(stringMember(value, 'next') ?? '') }
  const offset = stringMember(value, 'offset')
  if (offset !== undefined) return { kind: 'offset', param: offset }
  const param = stringMember(value, 'page') ?? ''
  const schema = method.params.find(({ name }) => name === param)?.schema.schema
  const first = isObject(schema ?? null) ? member(schema as JsonObject, 'minimum') : undefined
  return { kind: 'page', param, first: first === 0 ? 0 : 1 }
}
