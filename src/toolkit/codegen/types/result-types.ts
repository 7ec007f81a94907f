import {
  arrayMember,
  type Contract,
  followed,
  isArray,
  isObject,
  type JsonValue,
  joinPointer,
  type LocatedSchema,
  type Method,
  member,
  type Param,
  possibleTypes,
  schemaList,
  schemaMember,
  stringMember,
} from '../../contract/index.js'
import { literalType, quote } from '../text.js'
import { typeOf } from './schema-type.js'
import { intersection, type TypeText, type TypeWriter, tight, union } from './type-writer.js'

/** An entry of `x-result-when`: the schema of a non-null result for some values of a parameter. */
interface ResultCase {
  /** A schema of values, or one value. */
  readonly values: LocatedSchema | { readonly value: JsonValue }
  readonly result: LocatedSchema
}

/** A parameter that the type of the result depends on. */
export interface DecidingParam {
  readonly param: Param
  /** Its position in the list of parameters. */
  readonly at: number
  readonly cases: readonly ResultCase[]
}

/**
 * Returns the parameters that the result's type depends on (`x-result-when`), in the order of the entries.
 * Only scalar parameters count: calls could not infer the type of an object and refuse unknown members.
 */
export function decidingParams(contract: Contract, method: Method): readonly DecidingParam[] {
  const { params, result, pointer, extensions } = method
  if (!result) return []
  const found = new Map<Param, ResultCase[]>()
  for (const [at, entry] of arrayMember(extensions, 'x-result-when').entries()) {
    if (!isObject(entry)) continue
    const place = { pointer: joinPointer(pointer, 'x-result-when', at), schema: entry }
    const param = params.find(({ name }) => name === stringMember(entry, 'param'))
    const narrowed = schemaMember(place, 'schema')
    const value = member(entry, 'value')
    const values = value === undefined ? schemaMember(place, 'matches') : { value }
    if (!param || !narrowed || !values || !isScalar(contract, param.schema)) continue
    found.set(param, [...(found.get(param) ?? []), { values, result: narrowed }])
  }
  return [...found].map(([param, cases]) => ({ param, at: params.indexOf(param), cases }))
}

/** Returns the schemas of parameters and results that decide types, each with an empty key. */
export function caseSchemas(contract: Contract): Contract['schemas'] {
  const cases = contract.methods.flatMap((method) =>
    decidingParams(contract, method).flatMap((deciding) => deciding.cases),
  )
  return cases.flatMap(({ values, result }) =>
    [...('pointer' in values ? [values] : []), result].map((located) => ({ key: '', ...located })),
  )
}

function isScalar(contract: Contract, schema: LocatedSchema): boolean {
  const types = possibleTypes(contract, schema)
  return !types.has('object') && !types.has('array')
}

/**
 * Returns the result type of a method that has deciding parameters, as a type of `SentParams`, the
 * type of the parameters sent.
 */
export function sentResult(writer: TypeWriter, method: Method, params: readonly DecidingParam[]): TypeText {
  const { contract } = writer
  const whole = `Results[${quote(method.name)}]`
  const isNullable = method.result !== undefined && allowsNull(contract, method.result.schema)
  const base = isNullable ? `NonNullable<${whole}>` : whole
  const includesBase = params.every(({ cases }) =>
    cases.every(({ result }) => method.result && includes(contract, result, method.result.schema)),
  )
  const conditions = params.map((param, at) =>
    tight(condition(writer, method, param, at === 0 && includesBase ? base : 'unknown')),
  )
  const all = intersection(includesBase ? conditions : [tight(base), ...conditions])
  return union([all, ...(isNullable ? [tight('null')] : [])])
}

/** Returns a conditional type that is distributed over the union of the values sent. */
function condition(
  writer: TypeWriter,
  method: Method,
  { param, at, cases }: DecidingParam,
  otherwise: string,
): string {
  const branches = cases.map(({ values, result }) => {
    const isDefault = 'value' in values && isSame(values.value, param.default)
    const type = 'value' in values ? tight(literalType(values.value)) : typeOf(writer, values)
    const { text } = isDefault ? union([type, tight('undefined')]) : type
    return `SentValue extends ${text} ? ${typeOf(writer, result).text}`
  })
  const name = method.paramStructure === 'by-position' ? 'never' : quote(param.name)
  const lines = [
    '(',
    `  ArgumentOf<SentParams, '${at}', ${name}> extends infer SentValue`,
    ...[...branches, otherwise, 'never'].map((branch, nth) => `    ${nth === 0 ? '?' : ':'} ${branch}`),
    ')',
  ]
  return lines.join('\n')
}

/** Returns true if a schema includes another one, through references and `allOf`. */
function includes(contract: Contract, schema: LocatedSchema, other: LocatedSchema): boolean {
  const targets = nonNullTargets(contract, other)
  const seen = new Set<string>()
  const visit = (here: LocatedSchema): boolean => {
    if (seen.has(here.pointer)) return false
    seen.add(here.pointer)
    const target = followed(here, contract)
    return (
      targets.has(here.pointer) || [...(target ? [target] : []), ...schemaList(here, 'allOf')].some(visit)
    )
  }
  return visit(schema)
}

/** Returns the pointers of a schema, its references and its only alternative to null. */
function nonNullTargets(contract: Contract, located: LocatedSchema): ReadonlySet<string> {
  const forms = [...schemaList(located, 'anyOf'), ...schemaList(located, 'oneOf')]
  const [only, ...more] = forms.filter(({ schema }) => !isObject(schema) || member(schema, 'type') !== 'null')
  const target = followed(located, contract)
  const inner = target ?? (only && more.length === 0 ? only : undefined)
  return new Set([located.pointer, ...(inner ? nonNullTargets(contract, inner) : [])])
}

/**
 * Returns true if the schema allows null through its types, its reference or its `anyOf` and `oneOf`
 * branches.
 */
function allowsNull(contract: Contract, located: LocatedSchema, seen: readonly string[] = []): boolean {
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

function isSame(a: JsonValue, b: JsonValue | undefined): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}

/** Returns the result type itself if it is short, otherwise a lookup in `Results`. */
export function resultType(writer: TypeWriter, { name, result }: Method): string {
  if (!result) return 'void'
  const trial = { ...writer, used: new Set<string>() }
  const { text } = typeOf(trial, result.schema)
  if (text.includes('\n') || text.length > 60) {
    writer.used.add('Results')
    return `Results[${quote(name)}]`
  }
  for (const word of trial.used) writer.used.add(word)
  return text
}
