import { isDeepStrictEqual } from 'node:util'
import {
  expressionIn,
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  type LawCall,
  type Method,
  member,
  type StatedLaw,
  valueAt,
} from '../../../toolkit/contract/index.js'

/** Returns sent parameters by name. Surplus ones of a list are left out. */
export function namedParams({ params }: Method, sent: JsonValue | undefined): JsonObject {
  if (isObject(sent)) return sent
  const list = isArray(sent) ? sent : []
  return Object.fromEntries(
    params.flatMap(({ name }, at) => (list[at] === undefined ? [] : [[name, list[at]]])),
  )
}

/** True if a law is about a call with these parameters. An omitted parameter has its default. */
export function isAbout({ when, method }: StatedLaw, named: JsonObject): boolean {
  return Object.entries(when).every(([name, value]) => {
    const given = member(named, name) ?? method.params.find((param) => param.name === name)?.default
    return isDeepStrictEqual(given, value)
  })
}

/**
 * Returns parameters in the form in which they are sent.
 * @returns undefined if a list would have a gap
 */
export function sentParams({ params, paramStructure }: Method, named: JsonObject): JsonValue | undefined {
  const values = params.map(({ name }) => member(named, name))
  const last = values.findLastIndex((value) => value !== undefined)
  const list = values.slice(0, last + 1)
  const hasGap = list.includes(undefined)
  if (paramStructure === 'by-name' || (paramStructure === 'either' && hasGap)) return named
  return hasGap ? undefined : (list as readonly JsonValue[])
}

/**
 * Fills in the expressions of a call. Parameters whose value does not exist are left out.
 * @param params parameters of the call that the law is about
 * @param result its result; undefined before it is known
 */
export function filledParams(
  { params: stated }: LawCall,
  params: JsonObject,
  result: JsonValue | undefined,
): JsonObject {
  return Object.fromEntries(
    Object.entries(stated).flatMap(([name, value]) => {
      const expression = expressionIn(value)
      const source = expression?.source === 'result' ? result : params
      const found = expression === undefined ? value : source && valueAt(source, expression.path)
      return found === undefined ? [] : [[name, found]]
    }),
  )
}
