import {
  type Contract,
  followed,
  isArray,
  isObject,
  isSchema,
  type JsonValue,
  joinPointer,
  type LocatedSchema,
  type Method,
  member,
  type Param,
  schemaList,
  stringMember,
} from '../../contract/index.js'
import { literalType, memberName, objectType } from '../text.js'
import { resultType } from '../types/result-type.js'
import { typeOf } from '../types/schema-type.js'
import { labelName } from '../types/type-names.js'
import { type TypeText, tight, union } from '../types/type-text.js'
import type { TypeWriter } from '../types/type-writer.js'

/** One TypeScript signature of a method: the parameter declarations and the result type. */
export interface Signature {
  readonly params: readonly string[]
  readonly result: string
}

/** One entry of `x-result-when`: the non-null result type for one value of a parameter. */
interface NarrowResult {
  readonly param: Param
  readonly value: JsonValue
  readonly result: TypeText
}

/** A parameter whose type is narrowed to one literal value. */
type FixedParam = Pick<NarrowResult, 'param' | 'value'>

/**
 * Returns the overloads of a method. A method whose result depends on a parameter (`x-result-when`) has one
 * overload for each listed value and one for unknown values.
 */
export function callSignatures(writer: TypeWriter, method: Method): readonly Signature[] {
  const narrow = narrowResults(writer, method)
  const [first] = narrow
  if (!first) return [{ params: paramList(writer, method), result: resultType(writer, method) }]
  const nothing = method.result && allowsNull(writer.contract, method.result.schema) ? [tight('null')] : []
  const resultText = (fixed: readonly NarrowResult[]) =>
    union([...fixed.map(({ result }) => result), ...nothing]).text
  return [
    ...narrow.map((fixed) => ({ params: paramList(writer, method, fixed), result: resultText([fixed]) })),
    {
      params: paramList(writer, method),
      result: coversAll(first.param, narrow) ? resultText(narrow) : resultType(writer, method),
    },
  ]
}

/**
 * Reads `x-result-when`. Returns an empty list unless all entries are about one parameter and refer to named
 * schemas.
 */
function narrowResults(writer: TypeWriter, method: Method): readonly NarrowResult[] {
  const entries = method.extensions['x-result-when']
  if (!isArray(entries) || !method.result) return []
  const found = entries.flatMap((entry, at) => {
    if (!isObject(entry)) return []
    const param = method.params.find(({ name }) => name === stringMember(entry, 'param'))
    const value = member(entry, 'value')
    const schema = member(entry, 'schema')
    if (!param || value === undefined || !isSchema(schema)) return []
    const located = { pointer: joinPointer(method.pointer, 'x-result-when', at, 'schema'), schema }
    const target = followed(located, writer.contract)
    if (!target || !writer.names.has(target.pointer)) return []
    return [{ param, value, result: typeOf(writer, located) }]
  })
  return found.length === entries.length && found.every(({ param }) => param === found[0]?.param) ? found : []
}

/**
 * Returns true if the schema allows null through its types, its reference or its `anyOf` and `oneOf`
 * branches.
 */
export function allowsNull(
  contract: Contract,
  located: LocatedSchema,
  seen: readonly string[] = [],
): boolean {
  const { schema, pointer } = located
  if (!isObject(schema) || seen.includes(pointer)) return schema === true
  const target = followed(located, contract)
  const types = member(schema, 'type')
  return (
    types === 'null' ||
    (isArray(types) && types.includes('null')) ||
    member(schema, 'nullable') === true ||
    [...(target ? [target] : []), ...schemaList(located, 'anyOf'), ...schemaList(located, 'oneOf')].some(
      (other) => allowsNull(contract, other, [...seen, pointer]),
    )
  )
}

/** Returns true if `x-result-when` covers every value of the parameter. */
function coversAll({ schema: { schema } }: Param, narrow: readonly NarrowResult[]): boolean {
  if (!isObject(schema)) return false
  const listed = member(schema, 'enum')
  const values = isArray(listed) ? listed : member(schema, 'type') === 'boolean' ? [true, false] : undefined
  return values?.every((value) => narrow.some((entry) => isSame(entry.value, value))) ?? false
}

function paramList(writer: TypeWriter, method: Method, fixed?: FixedParam): readonly string[] {
  if (method.paramStructure === 'by-name') return namedParams(writer, method, fixed)
  const { params } = method
  const labels = uniqueLabels(params)
  const lastRequired = params.findLastIndex((param) => isRequired(param, fixed))
  return params.map((param, at) => {
    const type = paramType(writer, param, fixed)
    if (at > lastRequired) return `${labels[at]}?: ${type.text}`
    const mayBeAbsent = !isRequired(param, fixed) && (method.paramStructure === 'either' || hasDefault(param))
    return `${labels[at]}: ${mayBeAbsent ? union([type, tight('undefined')]).text : type.text}`
  })
}

function namedParams(
  writer: TypeWriter,
  { params }: Method,
  fixed: FixedParam | undefined,
): readonly string[] {
  if (params.length === 0) return []
  const members = params.map((param) => {
    const type = paramType(writer, param, fixed)
    if (isRequired(param, fixed)) return `readonly ${memberName(param.name)}: ${type.text}`
    return `readonly ${memberName(param.name)}?: ${union([type, tight('undefined')]).text}`
  })
  const optional = params.some((param) => isRequired(param, fixed)) ? '' : '?'
  return [`params${optional}: ${objectType(members)}`]
}

function paramType(writer: TypeWriter, param: Param, fixed: FixedParam | undefined): TypeText {
  return fixed?.param === param ? tight(literalType(fixed.value)) : typeOf(writer, param.schema)
}

/** An omitted parameter takes its default, so any other fixed value must be passed. */
function isRequired(param: Param, fixed: FixedParam | undefined): boolean {
  if (fixed?.param !== param) return param.required
  return param.required || param.default === undefined || !isSame(param.default, fixed.value)
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

function isSame(a: JsonValue, b: JsonValue): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}
