import type { MethodDescriptor } from '@concordat/rpc'
import {
  canonicalText,
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  member,
} from '../contract/index.js'

/** Parameters as a client sends them: a list, or an object by name. */
export type SentParams = readonly JsonValue[] | JsonObject

/** Parameters in the contract's order with defaults. Undefined for an omitted parameter. */
export type ParamValues = readonly (JsonValue | undefined)[]

/** Puts parameters into the contract's order and adds defaults. Unknown named parameters are dropped. */
export function paramValues({ params }: Pick<MethodDescriptor, 'params'>, sent: SentParams): ParamValues {
  const values = isArray(sent) ? sent : params.map(({ name }) => member(sent, name))
  return Array.from({ length: Math.max(values.length, params.length) }, (_, at) => {
    const value = values[at]
    return value === undefined ? params[at]?.default : value
  })
}

/** Creates a key for parameter values. Omitted trailing parameters do not count. */
export function valuesKey(values: ParamValues): string {
  const texts = values.map(canonicalText)
  while (texts.at(-1) === '') texts.pop()
  return `[${texts.join(',')}]`
}

/** Creates a key for sent parameters, equal for positional and named form. */
export function paramsKey(method: Pick<MethodDescriptor, 'params'>, sent: SentParams): string {
  const isOwn = (name: string) => method.params.some((param) => param.name === name)
  const isUnknown = isObject(sent) && !Object.keys(sent).every(isOwn)
  return isUnknown ? canonicalText(sent) : valuesKey(paramValues(method, sent))
}
