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
} from '../contract/index.js'
import { resultType } from './result-type.js'
import { type TypeWriter, typeOf } from './schema-type.js'
import { literalType, memberName, objectType } from './text.js'
import { labelName } from './type-names.js'
import { type TypeText, tight, union } from './type-text.js'

/** A way to call a method: its parameters as declarations, and the type of its result. */
export interface Signature {
  readonly params: readonly string[]
  readonly result: string
}

/** What `x-result-when` says for one value of a parameter: the type of a result other than null. */
interface NarrowResult {
  readonly param: Param
  readonly value: JsonValue
  readonly result: TypeText
}

/** A value that a parameter has, in place of any that its schema allows. */
type FixedParam = Pick<NarrowResult, 'param' | 'value'>

/**
 * The ways to call a method: one, or, where a parameter narrows the result (`x-result-when`), one for each of its
 * values and one for a value that is not known.
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

/** What `x-result-when` says; nothing unless it speaks of one parameter of the method, and in named schemas. */
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

/** True where null is a result that the schema allows, as far as its own words tell. */
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

/** True where every value that the parameter can have is spoken of. */
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
  const lastRequired = params.findLastIndex((param) => mustBeGiven(param, fixed))
  return params.map((param, at) => {
    const type = paramType(writer, param, fixed)
    if (at > lastRequired) return `${labels[at]}?: ${type.text}`
    const mayBeAbsent =
      !mustBeGiven(param, fixed) && (method.paramStructure === 'either' || hasDefault(param))
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
    if (mustBeGiven(param, fixed)) return `readonly ${memberName(param.name)}: ${type.text}`
    return `readonly ${memberName(param.name)}?: ${union([type, tight('undefined')]).text}`
  })
  const optional = params.some((param) => mustBeGiven(param, fixed)) ? '' : '?'
  return [`params${optional}: ${objectType(members)}`]
}

function paramType(writer: TypeWriter, param: Param, fixed: FixedParam | undefined): TypeText {
  return fixed?.param === param ? tight(literalType(fixed.value)) : typeOf(writer, param.schema)
}

/** A parameter that is left out has its default: where another value is meant it must be given. */
function mustBeGiven(param: Param, fixed: FixedParam | undefined): boolean {
  if (fixed?.param !== param) return param.required
  return param.required || param.default === undefined || !isSame(param.default, fixed.value)
}

function hasDefault(param: Param): boolean {
  return param.default !== undefined
}

/** Names that a parameter of a function cannot have. */
const notForParams = ['arguments', 'eval', 'options']

/** A name for each parameter: in a function no two can be one. */
export function uniqueLabels(params: readonly Param[]): readonly string[] {
  const taken = new Set(notForParams)
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
