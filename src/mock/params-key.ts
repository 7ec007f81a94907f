import { isArray, isObject, type JsonObject, type JsonValue, member } from '../contract/index.js'
import type { MethodDescriptor } from '../rpc/index.js'
import { canonicalJson } from './canonical-json.js'

/** Parameters as a caller sends them: a list, or an object by name. */
export type SentParams = readonly JsonValue[] | JsonObject

/** Parameters in the contract's order, defaults filled in; undefined where one was left out. */
export type ParamValues = readonly (JsonValue | undefined)[]

/** Brings parameters into the contract's order; those by names that the method does not have are lost. */
export function paramValues({ params }: Pick<MethodDescriptor, 'params'>, sent: SentParams): ParamValues {
  const values = isArray(sent) ? sent : params.map(({ name }) => member(sent, name))
  return Array.from({ length: Math.max(values.length, params.length) }, (_, at) => {
    const value = values[at]
    return value === undefined ? params[at]?.default : value
  })
}

/** The text by which parameters are told apart: those that were left out at the end do not count. */
export function valuesKey(values: ParamValues): string {
  const texts = values.map(canonicalJson)
  while (texts.at(-1) === '') texts.pop()
  return `[${texts.join(',')}]`
}

/** The same text for parameters as they are sent, whichever way that is. */
export function paramsKey(method: Pick<MethodDescriptor, 'params'>, sent: SentParams): string {
  const isOwn = (name: string) => method.params.some((param) => param.name === name)
  const isUnknown = isObject(sent) && !Object.keys(sent).every(isOwn)
  return isUnknown ? canonicalJson(sent) : valuesKey(paramValues(method, sent))
}
