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
import { pascalName, typeName } from './identifiers.js'
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
  const problems = collisions(contract, distinctNames(contract, names, chosen))
  if (problems.length > 0) throw new ContractError(problems)
  return withInlineNames(contract, names)
}

/** Gives schemas of other files the names of a bundle, where their own names collide. Changes the map. */
function distinctNames(
  contract: Contract,
  names: Map<string, string>,
  chosen: Readonly<Record<string, string>>,
): PointerNames {
  const colliding = new Set(collisions(contract, names).map(({ pointer }) => names.get(pointer)))
  if (colliding.size === 0) return names
  const bundled = contract.componentNames()
  for (const [pointer, name] of names) {
    const component = bundled.get(pointer)
    if (colliding.has(name) && component !== undefined && chosen[pointer] === undefined)
      names.set(pointer, typeName(component))
  }
  return names
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
        message: `would get the type name "${name}", which ${other} already has: rename one of them, or give one a name in generate.names of the project’s settings`,
      },
    ]
  })
}

/** Returns true if one location is only a reference to the other. */
function isReferenceTo(contract: Contract, names: PointerNames, one: string, other: string): boolean {
  const target = (place: string) => aliasTarget(contract, names, contract.resolve(place, '#'))
  return target(one) === other || target(other) === one
}
