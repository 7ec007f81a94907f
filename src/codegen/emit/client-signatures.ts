import type { Method, Param } from '../../contract/index.js'
import { memberName, objectType, quote } from '../text.js'
import { labelName } from '../types/identifiers.js'
import { freeName } from '../types/local-names.js'
import { decidingParams } from '../types/result-cases.js'
import { resultType } from '../types/result-type.js'
import { typeOf } from '../types/schema-type.js'
import { type TypeText, tight, union } from '../types/type-text.js'
import type { TypeWriter } from '../types/type-writer.js'

/** The TypeScript signature of a method: its type parameters, its parameters and the type of its result. */
export interface Signature {
  readonly generics: readonly string[]
  readonly params: readonly string[]
  readonly result: string
}

/** The names of the type parameters that stand for the values of parameters. */
type Generics = ReadonlyMap<Param, string>

/**
 * Returns the signature of a method. A parameter that decides the result's type (`x-result-when`) has a type
 * parameter, so that the result follows the argument, unions included.
 * @param taken names that type parameters must not have
 */
export function callSignature(writer: TypeWriter, method: Method, taken: readonly string[]): Signature {
  const deciding = decidingParams(writer.contract, method).map(({ param }) => param)
  if (deciding.length === 0) {
    return {
      generics: [],
      params: paramList(writer, method, new Map()),
      result: resultType(writer, method),
    }
  }
  const names = new Set([...taken, ...writer.names.values()])
  const generics = new Map(
    deciding.map((param) => {
      const name = freeName(typeParameterName(param.name), names)
      names.add(name)
      return [param, name]
    }),
  )
  writer.used.add('SentResults')
  return {
    generics: deciding
      .toSorted((one, other) => Number(other.required) - Number(one.required))
      .map((param) => typeParameter(writer, param, generics)),
    params: paramList(writer, method, generics),
    result: `SentResults<${sentType(method, generics)}>[${quote(method.name)}]`,
  }
}

/** Derives the name of a type parameter: `blockSelector` gives `GivenBlockSelector`. */
function typeParameterName(name: string): string {
  return `Given${labelName(name).replace(/^[a-z]/, (letter) => letter.toUpperCase())}`
}

/** An omitted parameter has its default, or is undefined. */
function typeParameter(writer: TypeWriter, param: Param, generics: Generics): string {
  const type = typeOf(writer, param.schema)
  const head = `const ${generics.get(param)} extends `
  if (param.required) return `${head}${type.text}`
  return `${head}${union([type, tight('undefined')]).text} = undefined`
}

/** Returns the type of the sent parameters, as far as they decide the result. */
function sentType({ params, paramStructure }: Method, generics: Generics): string {
  if (paramStructure === 'by-name') {
    const members = [...generics].map(([{ name }, generic]) => `readonly ${memberName(name)}: ${generic}`)
    return `{ ${members.join('; ')} }`
  }
  const last = params.findLastIndex((param) => generics.has(param))
  return `readonly [${params
    .slice(0, last + 1)
    .map((param) => generics.get(param) ?? 'unknown')
    .join(', ')}]`
}

function paramList(writer: TypeWriter, method: Method, generics: Generics): readonly string[] {
  if (method.paramStructure === 'by-name') return namedParams(writer, method, generics)
  const { params } = method
  const labels = uniqueLabels(params)
  const lastRequired = params.findLastIndex(({ required }) => required)
  return params.map((param, at) => {
    const type = paramType(writer, param, generics)
    if (at > lastRequired) return `${labels[at]}?: ${type.text}`
    const mayBeAbsent = !param.required && (method.paramStructure === 'either' || hasDefault(param))
    return `${labels[at]}: ${mayBeAbsent ? union([type, tight('undefined')]).text : type.text}`
  })
}

function namedParams(writer: TypeWriter, { params }: Method, generics: Generics): readonly string[] {
  if (params.length === 0) return []
  const members = params.map((param) => {
    const type = paramType(writer, param, generics)
    if (param.required) return `readonly ${memberName(param.name)}: ${type.text}`
    return `readonly ${memberName(param.name)}?: ${union([type, tight('undefined')]).text}`
  })
  const optional = params.some(({ required }) => required) ? '' : '?'
  return [`params${optional}: ${objectType(members)}`]
}

function paramType(writer: TypeWriter, param: Param, generics: Generics): TypeText {
  const generic = generics.get(param)
  return generic === undefined ? typeOf(writer, param.schema) : tight(generic)
}

function hasDefault(param: Param): boolean {
  return param.default !== undefined
}

/** Names that are reserved, either by JavaScript or for the `options` parameter. */
const reservedNames = ['arguments', 'eval', 'options']

/** Returns a distinct label for each parameter. */
export function uniqueLabels(params: readonly Param[]): readonly string[] {
  const taken = new Set(reservedNames)
  return params.map(({ name }) => {
    let label = labelName(name)
    while (taken.has(label)) label += '_'
    taken.add(label)
    return label
  })
}
