import {
  compilePattern,
  followed,
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  type LocatedSchema,
  member,
  type SchemaChecker,
  schemaList,
  schemaMap,
  schemaMember,
} from '../contract/index.js'
import { isBare, literals, stringList, tellsOfOthers, typesOf } from './own-types.js'
import { type TypeWriter, typeOf } from './schema-type.js'
import { anyJson } from './type-text.js'

/**
 * How a value that a schema takes stands to the schema's type. `open` is a type that takes anything; `weak` an object
 * of optional members of which the value has none, which TypeScript takes for a mistake.
 */
type Fit = 'open' | 'fits' | 'weak' | 'misfits'

type Properties = ReadonlyMap<string, LocatedSchema>

/**
 * Says whether TypeScript takes a value, which the schema takes, for the schema's type too. There are three values that
 * it does not take: one that is no object where the schema only speaks of members, and names no type; an object with
 * none of the members that the schema declares, which are all optional; and one without an optional member that is
 * called like one of every object, such as `constructor`. Where that is hard to say, it says no.
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

  function fitOf(located: LocatedSchema, value: JsonValue, around: Properties): Fit {
    const { schema } = located
    if (!isObject(schema) || isOpen(located)) return 'open'
    if (value === null && member(schema, 'nullable') === true) return 'fits'
    const properties = new Map([...around, ...schemaMap(located, 'properties')])
    const target = followed(located, writer.contract)
    const alternatives = ['anyOf', 'oneOf'].map((keyword) => schemaList(located, keyword))
    const composed = [
      ...(target ? [fitOf(target, value, new Map())] : []),
      ...schemaList(located, 'allOf').map((part) => fitOf(part, value, properties)),
      ...alternatives
        .filter((branches) => branches.length > 0)
        .map((branches) => ofOne(branches, value, properties)),
    ]
    const says = composed.some((fit) => fit !== 'open')
    return ofAll(says && isBare(schema) ? composed : [ownFit(located, schema, value, around), ...composed])
  }

  function ofOne(branches: readonly LocatedSchema[], value: JsonValue, around: Properties): Fit {
    if (branches.some(isOpen)) return 'open'
    // The schema takes the value, so that one of the forms does: checking is for where several may.
    const possible = branches.filter((branch) => mayTake(branch, value))
    const taking =
      possible.length === 1 ? possible : possible.filter((branch) => check(branch, value).length === 0)
    return taking.some((branch) => fitOf(branch, value, around) === 'fits') ? 'fits' : 'misfits'
  }

  /** False where the types that a schema names, its own or of what it refers to, leave a value out. */
  function mayTake(located: LocatedSchema, value: JsonValue): boolean {
    const { schema } = located
    if (!isObject(schema)) return schema
    if (value === null && member(schema, 'nullable') === true) return true
    const named = member(schema, 'type') === undefined ? undefined : typesOf(schema)
    if (named) return isOfTypes(named, value)
    const target = followed(located, writer.contract)
    return !target || mayTake(target, value)
  }

  function ownFit(located: LocatedSchema, schema: JsonObject, value: JsonValue, around: Properties): Fit {
    const types = typesOf(schema)
    if (literals(schema, types)) return 'fits'
    if (!types) return 'open'
    if (!isOfTypes(types, value)) return 'misfits'
    if (isArray(value))
      return value.every((item, at) => isFit(itemSchema(located, at), item)) ? 'fits' : 'misfits'
    return isObject(value) ? membersFit(located, schema, value, around) : 'fits'
  }

  function membersFit(
    located: LocatedSchema,
    schema: JsonObject,
    value: JsonObject,
    around: Properties,
  ): Fit {
    const properties = new Map(schemaMap(located, 'properties'))
    const required = stringList(member(schema, 'required'))
    const names = Object.keys(value)
    const tells = tellsOfOthers(located, properties.size + required.length > 0, isOpen)
    const isTold = (name: string) => properties.has(name) || required.includes(name)
    const fits = names.every((name) => {
      const declared = properties.get(name)
      const known = declared ?? (required.includes(name) ? around.get(name) : undefined)
      const others = !known && (tells || isTold(name)) ? otherSchemas(located, name) : []
      return (known ? [known] : others).every((inner) => isFit(inner, value[name] ?? null))
    })
    const isMistaken = [...properties.keys()].some((name) => name in {} && !Object.hasOwn(value, name))
    if (!fits || isMistaken) return 'misfits'
    const isWeak = properties.size > 0 && required.length === 0 && !tells
    return isWeak && names.length > 0 && !names.some(isTold) ? 'weak' : 'fits'
  }

  function isFit(located: LocatedSchema | undefined, value: JsonValue): boolean {
    const fit = located ? fitOf(located, value, new Map()) : 'open'
    return fit === 'open' || fit === 'fits'
  }

  return isFit
}

/** Of several types at once, the open ones say nothing; a weak one does no harm beside one with members of the value. */
function ofAll(fits: readonly Fit[]): Fit {
  if (fits.includes('misfits')) return 'misfits'
  if (fits.includes('fits')) return 'fits'
  return fits.includes('weak') ? 'weak' : 'open'
}

function itemSchema(located: LocatedSchema, at: number): LocatedSchema | undefined {
  const list = schemaList(located, 'items')
  return schemaMember(located, 'items') ?? list[at] ?? schemaMember(located, 'additionalItems')
}

/** The schemas of a member that is not declared: those whose patterns it matches, else the one for all others. */
function otherSchemas(located: LocatedSchema, name: string): readonly LocatedSchema[] {
  const patterns = schemaMap(located, 'patternProperties')
    .filter(([pattern]) => compilePattern(pattern, 'u').test(name))
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
