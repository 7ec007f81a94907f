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
} from '../../contract/index.js'

/** TypeScript names of schemas, keyed by JSON pointer. */
export type TypeNames = ReadonlyMap<string, string>

/** Reserved words of JavaScript. */
const reserved =
  words(`await break case catch class const continue debugger default delete do else enum export extends
  false finally for function if implements import in instanceof interface let new null package private protected
  public return static super switch this throw true try typeof var void while with yield`)

/**
 * Names that types of the contract cannot have: TypeScript keywords and names that generated files declare or
 * import.
 */
const taken =
  words(`any as async bigint boolean declare infer is keyof module namespace never number object of readonly
  string symbol type undefined unique unknown ArgumentOf AsyncIterable ClientMethods Context ErrorDetails ErrorName
  Failure FailureDetails FailureName HandlerCall Handlers JsonObject JsonValue MethodDescriptor MethodName NonNullable
  Params Promise Readonly Record ResultOf Results RpcError SentParams SentResults SentValue ServerMethods Validator create
  errorTable errors failure failures filled methodErrors`)

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(/\s+/))
}

/**
 * Derives a type name from a component key. The key itself is used if it is a free identifier.
 * Invalid characters become `_`. A taken name gets a trailing `_`, and a name that begins with a digit a
 * leading one.
 */
export function typeName(key: string): string {
  const name = labelName(key)
  return taken.has(name) ? `${name}_` : name
}

/**
 * Derives an identifier that need not be unique, such as a tuple label. Letters of all languages are kept
 * (ECMA-262, section 12.7), except those outside the Basic Multilingual Plane, which compilers support
 * unevenly.
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
 * Names the component schemas and all other targets of references.
 * @throws ContractError with both places if two schemas would get one name
 */
export function typeNames(contract: Contract): TypeNames {
  const names = new Map(contract.schemas.map(({ key, pointer }) => [pointer, typeName(key)]))
  for (const pointer of otherTargets(contract, names)) names.set(pointer, derivedName(pointer))
  const problems = collisions(contract, names)
  if (problems.length > 0) throw new ContractError(problems)
  return names
}

/** A schema and its type name. */
export interface TypedSchema extends LocatedSchema {
  readonly name: string
}

/**
 * Returns each named schema once. A component that is only a reference to a schema of the same name is
 * skipped.
 */
export function namedSchemas(contract: Contract, names: TypeNames): readonly TypedSchema[] {
  const all = [...names].map(([pointer, name]) => ({ ...contract.resolve(pointer, '#'), name }))
  return all.filter((schema) => aliasTarget(contract, names, schema) === undefined)
}

/**
 * Returns the target of a schema that is only a reference to a schema of the same name: `"Hash": {"$ref":
 * "units.json#/definitions/Hash"}`.
 */
function aliasTarget(contract: Contract, names: TypeNames, located: LocatedSchema): string | undefined {
  if (!isObject(located.schema) || Object.keys(located.schema).length !== 1) return undefined
  const target = followed(located, contract)
  return target && names.get(target.pointer) === names.get(located.pointer) ? target.pointer : undefined
}

/**
 * Derives a name from a location: `#/components/schemas/Pet/properties/owner` gives `Pet_owner`, and
 * `units.json#/definitions/Hash` gives `Hash`.
 */
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

/** Derives a name from a file: `common/unit.schema.json` gives `unit`. */
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
    if (other === undefined || isReferenceTo(contract, names, other, pointer)) return []
    return [
      {
        pointer,
        message: `would get the type name "${name}", which ${other} already has: rename one of them`,
      },
    ]
  })
}

/** Returns true if one location is only a reference to the other. */
function isReferenceTo(contract: Contract, names: TypeNames, one: string, other: string): boolean {
  const target = (place: string) => aliasTarget(contract, names, contract.resolve(place, '#'))
  return target(one) === other || target(other) === one
}
