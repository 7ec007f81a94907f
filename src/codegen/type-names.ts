import {
  type Contract,
  ContractError,
  type ContractProblem,
  documentOf,
  followed,
  isObject,
  type LocatedSchema,
  pointerOf,
  pointerTokens,
  reachableSchemas,
} from '../contract/index.js'

/** The TypeScript name of every schema that has one, by pointer. */
export type TypeNames = ReadonlyMap<string, string>

/** JavaScript's own words. */
const reserved =
  words(`await break case catch class const continue debugger default delete do else enum export extends
  false finally for function if implements import in instanceof interface let new null package private protected
  public return static super switch this throw true try typeof var void while with yield`)

/** Words that no type of the contract can be called: TypeScript's own, and what generated files declare or import. */
const taken =
  words(`any as async bigint boolean declare infer is keyof module namespace never number object of readonly
  string symbol type undefined unique unknown Context ErrorDetails ErrorName Failure FailureDetails FailureName Handlers
  JsonObject JsonValue MethodDescriptor MethodName Params Promise Readonly Record Results RpcError Validator create
  errorTable errors failure failures filled methodErrors`)

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(/\s+/))
}

/**
 * The name of a type from a component's key: total, and the key itself wherever that is an identifier.
 * What cannot stand in an identifier becomes `_`; a word that is taken gets one more `_` behind it, a digit before it.
 */
export function typeName(key: string): string {
  const name = labelName(key)
  return taken.has(name) ? `${name}_` : name
}

/**
 * An identifier for a place where names need not differ, such as the labels of a tuple. Letters of every language stay
 * (ECMA-262, section 12.7), but for those beyond the first plane of Unicode: compilers know more or fewer of them.
 */
export function labelName(key: string): string {
  const name = key.replaceAll(
    /(?:[^\p{L}\p{Nl}\p{Mn}\p{Mc}\p{Nd}\p{Pc}$]|[\u2e2f\u{10000}-\u{10ffff}])+/gu,
    '_',
  )
  if (!/^[\p{L}\p{Nl}_$]/u.test(name)) return `_${name}`
  return reserved.has(name) ? `${name}_` : name
}

/**
 * Names for the component schemas, and for the other places that references lead to.
 * @throws ContractError naming both places where two schemas would get one name
 */
export function typeNames(contract: Contract): TypeNames {
  const names = new Map(contract.schemas.map(({ key, pointer }) => [pointer, typeName(key)]))
  for (const pointer of otherTargets(contract, names)) names.set(pointer, derivedName(pointer))
  const problems = collisions(contract, names)
  if (problems.length > 0) throw new ContractError(problems)
  return names
}

/** A schema under the name of its type. */
export interface TypedSchema extends LocatedSchema {
  readonly name: string
}

/** The schemas that have a name, each once: a component that only stands for one of another file goes by that one. */
export function namedSchemas(contract: Contract, names: TypeNames): readonly TypedSchema[] {
  const all = [...names].map(([pointer, name]) => ({ ...contract.resolve(pointer, '#'), name }))
  return all.filter((schema) => aliased(contract, names, schema) === undefined)
}

/** The place that a schema only stands for under the same name: `"Hash": {"$ref": "units.json#/definitions/Hash"}`. */
function aliased(contract: Contract, names: TypeNames, located: LocatedSchema): string | undefined {
  if (!isObject(located.schema) || Object.keys(located.schema).length !== 1) return undefined
  const target = followed(located, contract)
  return target && names.get(target.pointer) === names.get(located.pointer) ? target.pointer : undefined
}

/** `#/components/schemas/Pet/properties/owner` as `Pet_owner`, `units.json#/definitions/Hash` as `Hash`. */
function derivedName(place: string): string {
  const tokens = pointerTokens(pointerOf(place)) ?? []
  const file = documentOf(place)
  if (tokens.length === 0) return typeName(fileTitle(file))
  const telling = tokens.filter((token, at) => {
    if (at < 2 && ['components', 'schemas'].includes(token)) return false
    const holder = ['properties', 'schema', 'definitions', '$defs'].includes(token)
    return !holder || (at < 2 && (file === '' || at > 0))
  })
  return typeName(telling.join('_'))
}

/** `common/unit.schema.json` as `unit`. */
function fileTitle(file: string): string {
  return (file.split('/').at(-1) ?? file).replace(/(\.schema)?\.\w+$/, '')
}

function otherTargets(contract: Contract, names: TypeNames): readonly string[] {
  const targets = reachableSchemas(contract).flatMap((located) => followed(located, contract)?.pointer ?? [])
  return [...new Set(targets)].filter((pointer) => !names.has(pointer))
}

function collisions(contract: Contract, names: TypeNames): readonly ContractProblem[] {
  const first = new Map<string, string>()
  return [...names].flatMap(([pointer, name]) => {
    const other = first.get(name)
    first.set(name, other ?? pointer)
    if (other === undefined || standsFor(contract, names, other, pointer)) return []
    return [{ pointer, message: `would be called "${name}", as is ${other}` }]
  })
}

/** True where one of two places is nothing but a reference to the other. */
function standsFor(contract: Contract, names: TypeNames, one: string, other: string): boolean {
  const target = (place: string) => aliased(contract, names, contract.resolve(place, '#'))
  return target(one) === other || target(other) === one
}
