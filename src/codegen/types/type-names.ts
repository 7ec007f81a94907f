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
  stringMember,
} from '../../contract/index.js'
import { withInlineNames } from './inline/inline-names.js'
import type { TypeNames } from './type-writer.js'

/** Names by JSON pointer. */
type PointerNames = ReadonlyMap<string, string>

/**
 * Names the component schemas, all other targets of references, and the schemas that are written inline.
 * @param chosen names by JSON pointer, which avoid collisions of the names of components
 * @throws ContractError with both places if two schemas would get one name
 */
export function typeNames(contract: Contract, chosen: Readonly<Record<string, string>> = {}): TypeNames {
  const names = new Map(
    contract.schemas.map(({ key, pointer }) => [pointer, chosen[pointer] ?? typeName(key)]),
  )
  for (const pointer of otherTargets(contract, names))
    names.set(pointer, chosen[pointer] ?? rootTitle(contract, pointer) ?? derivedName(pointer))
  const problems = collisions(contract, names)
  if (problems.length > 0) throw new ContractError(problems)
  return withInlineNames(contract, names)
}

/** A schema and its type name. */
export interface TypedSchema extends LocatedSchema {
  readonly name: string
}

/**
 * Returns each named schema once. A component that is only a reference to a schema of the same name is
 * skipped, and so are inline schemas that are equal to another one.
 */
export function namedSchemas(contract: Contract, names: TypeNames): readonly TypedSchema[] {
  return [...names].flatMap(([pointer, name]) => {
    const inline = names.inline.get(pointer)
    if (inline) return inline.declared.pointer === pointer ? [{ ...inline.declared, name }] : []
    const schema = { ...contract.resolve(pointer, '#'), name }
    return aliasTarget(contract, names, schema) === undefined ? [schema] : []
  })
}

/**
 * Returns the target of a schema that is only a reference to a schema of the same name: `"Hash": {"$ref":
 * "units.json#/definitions/Hash"}`.
 */
function aliasTarget(contract: Contract, names: PointerNames, located: LocatedSchema): string | undefined {
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

/** Returns the title of a whole document that was read from a URL, whose path rarely tells what it holds. */
function rootTitle(contract: Contract, place: string): string | undefined {
  if (!/^https?:/.test(documentOf(place)) || pointerOf(place) !== '#') return undefined
  const { schema } = contract.resolve(place, '#')
  const title = isObject(schema) ? stringMember(schema, 'title') : undefined
  return title === undefined ? undefined : typeName(pascalName(title))
}

/** Derives a name from a file: `common/unit.schema.json` gives `unit`. */
function fileTitle(file: string): string {
  return (file.split('/').at(-1) ?? file).replace(/(\.schema)?\.\w+$/, '')
}

function otherTargets(contract: Contract, names: PointerNames): readonly string[] {
  const targets = reachableSchemas(contract).flatMap((located) => followed(located, contract)?.pointer ?? [])
  return [...new Set(targets)].filter((pointer) => !names.has(pointer))
}

function collisions(contract: Contract, names: PointerNames): readonly ContractProblem[] {
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
function isReferenceTo(contract: Contract, names: PointerNames, one: string, other: string): boolean {
  const target = (place: string) => aliasTarget(contract, names, contract.resolve(place, '#'))
  return target(one) === other || target(other) === one
}

/**
 * Renames types of the contract that clash with names that a file declares or imports, by appending `_`.
 * @param ownNames names that the file declares or imports
 */
export function localNames(names: TypeNames, ownNames: readonly string[]): TypeNames {
  const taken = new Set([...ownNames, ...names.all()])
  const renamed = new Map<string, string>()
  for (const name of names.all()) {
    if (!ownNames.includes(name)) continue
    const free = freeName(`${name}_`, taken)
    taken.add(free)
    renamed.set(name, free)
  }
  return names.renamed((name) => renamed.get(name) ?? name)
}

/** Appends `_` to a name until it is free. */
export function freeName(name: string, taken: ReadonlySet<string>): string {
  return taken.has(name) ? freeName(`${name}_`, taken) : name
}

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

/** Returns the words of a text as one name: `get_events` gives `GetEvents`. */
export function pascalName(text: string): string {
  const words = text.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '')
  return labelName(words.map((word) => word.replace(/^./u, (first) => first.toUpperCase())).join(''))
}

/** Types of the language and its library that readers would take another type for. */
const standardTypes =
  words(`Array ArrayBuffer Awaited BigInt Boolean Capitalize DataView Date Error Exclude Extract Function Generator
  Infinity Iterable Iterator JSON Map Math NaN Number Object Omit Parameters Partial Pick PropertyKey Proxy RegExp
  Required ReturnType Set String Symbol TypeError Uint8Array URL WeakMap WeakSet`)

/** Returns true if no reserved word, type of the language or name in generated files is this name. */
export function isFreeName(name: string): boolean {
  return typeName(name) === name && !standardTypes.has(name)
}
