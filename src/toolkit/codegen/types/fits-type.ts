import {
  followed,
  inContext,
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  type LocatedSchema,
  matchesPattern,
  member,
  type SchemaChecker,
  schemaList,
  schemaMap,
  schemaMember,
} from '../../contract/index.js'
import { literals, statesTypesOnly, stringList, typesOf } from './keywords/any-type.js'
import { indexSignatures } from './keywords/objects.js'
import { typeOf } from './schema-type.js'
import { anyJson, type TypeWriter } from './type-writer.js'

/**
 * How a valid value relates to the TypeScript type of its schema. `open` is a type that accepts anything.
 * `weak` is an object type with only optional members, none of which the value has: TypeScript rejects that.
 */
type Fit = 'open' | 'fits' | 'weak' | 'misfits'

type Properties = ReadonlyMap<string, LocatedSchema>

/**
 * Creates a function that tells whether a valid value is assignable to the generated type. It returns false for:
 * - a value that is not an object, if the schema declares members but no `type`;
 * - a non-empty object with none of the declared members, if all of them are optional;
 * - a value for which the result is uncertain.
 */
export function createTypeFitter(
  writer: TypeWriter,
  check: SchemaChecker,
): (located: LocatedSchema, value: JsonValue) => boolean {
  const open = new Map<string, boolean>()

  function isOpen(located: LocatedSchema): boolean {
    const known = open.get(located.pointer) ?? typeOf(writer, located).text === anyJson.text
    open.set(located.pointer, known)
    return known
  }

  function fitOf(raw: LocatedSchema, value: JsonValue, enclosing: Properties): Fit {
    const located = inContext(writer.contract, raw)
    const { schema } = located
    if (!isObject(schema) || isOpen(raw)) return 'open'
    if (value === null && member(schema, 'nullable') === true) return 'fits'
    const properties = new Map([...enclosing, ...schemaMap(located, 'properties')])
    const target = followed(located, writer.contract)
    const alternatives = ['anyOf', 'oneOf'].map((keyword) => schemaList(located, keyword))
    const composed = [
      ...(target ? [fitOf(target, value, new Map())] : []),
      ...schemaList(located, 'allOf').map((part) => fitOf(part, value, properties)),
      ...alternatives
        .filter((branches) => branches.length > 0)
        .map((branches) => fitOfOne(branches, value, properties)),
    ]
    const isCovered = composed.some((fit) => fit !== 'open') && statesTypesOnly(schema)
    return fitOfAll(isCovered ? composed : [ownFit(located, schema, value, enclosing), ...composed])
  }

  function fitOfOne(branches: readonly LocatedSchema[], value: JsonValue, enclosing: Properties): Fit {
    if (branches.some(isOpen)) return 'open'
    // The value is valid, so at least one branch matches. Only ambiguous branches need validation.
    const possible = branches.filter((branch) => mayAccept(branch, value))
    const taking =
      possible.length === 1 ? possible : possible.filter((branch) => check(branch, value).length === 0)
    return taking.some((branch) => fitOf(branch, value, enclosing) === 'fits') ? 'fits' : 'misfits'
  }

  /** Returns false if the types that the schema or its reference names exclude the value. */
  function mayAccept(located: LocatedSchema, value: JsonValue): boolean {
    const { schema } = located
    if (!isObject(schema)) return schema
    if (value === null && member(schema, 'nullable') === true) return true
    const named = member(schema, 'type') === undefined ? undefined : typesOf(schema)
    if (named) return isOfTypes(named, value)
    const target = followed(located, writer.contract)
    return !target || mayAccept(target, value)
  }

  function ownFit(located: LocatedSchema, schema: JsonObject, value: JsonValue, enclosing: Properties): Fit {
    const types = typesOf(schema)
    if (literals(schema, types)) return 'fits'
    if (!types) return 'open'
    if (!isOfTypes(types, value)) return 'misfits'
    if (isArray(value))
      return value.every((item, at) => isFit(itemSchema(located, at), item)) ? 'fits' : 'misfits'
    return isObject(value) ? membersFit(located, schema, value, enclosing) : 'fits'
  }

  function membersFit(
    located: LocatedSchema,
    schema: JsonObject,
    value: JsonObject,
    enclosing: Properties,
  ): Fit {
    const properties = new Map(schemaMap(located, 'properties'))
    const required = stringList(member(schema, 'required'))
    const names = Object.keys(value)
    const isDeclared = (name: string) => properties.has(name) || required.includes(name)
    const declared = [...new Set([...properties.keys(), ...required])]
    const signatures = indexSignatures(located, declared, isOpen)
    const fits = names.every((name) => {
      const known = properties.get(name) ?? (required.includes(name) ? enclosing.get(name) : undefined)
      const isStated = isDeclared(name) || signatures.some(({ covers }) => covers(name))
      const others = !known && isStated ? undeclaredSchemas(located, name) : []
      return (known ? [known] : others).every((inner) => isFit(inner, value[name] ?? null))
    })
    if (!fits) return 'misfits'
    const isWeak = properties.size > 0 && required.length === 0 && signatures.length === 0
    return isWeak && names.length > 0 && !names.some(isDeclared) ? 'weak' : 'fits'
  }

  function isFit(located: LocatedSchema | undefined, value: JsonValue): boolean {
    const fit = located ? fitOf(located, value, new Map()) : 'open'
    return fit === 'open' || fit === 'fits'
  }

  return isFit
}

/**
 * Combines the results of intersected types. `open` has no effect, and `weak` is harmless beside a type that
 * fits.
 */
function fitOfAll(fits: readonly Fit[]): Fit {
  if (fits.includes('misfits')) return 'misfits'
  if (fits.includes('fits')) return 'fits'
  return fits.includes('weak') ? 'weak' : 'open'
}

function itemSchema(located: LocatedSchema, at: number): LocatedSchema | undefined {
  const list = schemaList(located, 'items')
  return schemaMember(located, 'items') ?? list[at] ?? schemaMember(located, 'additionalItems')
}

/**
 * Returns the schemas of a member that `properties` lacks: those of matching `patternProperties`, or else
 * `additionalProperties`.
 */
function undeclaredSchemas(located: LocatedSchema, name: string): readonly LocatedSchema[] {
  const patterns = schemaMap(located, 'patternProperties')
    .filter(([pattern]) => matchesPattern(pattern, name))
    .map(([, schema]) => schema)
  const additional = schemaMember(located, 'additionalProperties')
  return patterns.length > 0 || !additional ? patterns : [additional]
}

function isOfTypes(types: readonly string[], value: JsonValue): boolean {
  return types.some((type) => (type === 'integer' ? 'number' : type) === typeOfValue(value))
}

function typeOfValue(value: JsonValue): string {
  if (value === null) return 'null'
  return isArray(value) ? 'array' : typeof value
}
