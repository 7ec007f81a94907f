import { canonicalText } from '../canonical.js'
import { isObject, type JsonValue, member } from '../json.js'
import type { Contract } from '../model/contract.js'
import type { LocatedSchema, Schema } from '../model/schema.js'
import {
  type Conjunction,
  commonValues,
  nothingSaid,
  partsOf,
  requiredNames,
  type Together,
  withOwn,
} from './conjunction.js'
import { possibleTypes } from './in-context.js'
import { allTypes, commonTypes, listedValues, type TypeSet, typeOfValue } from './type-atoms.js'

/**
 * Returns true if no value fits two of the schemas, because they differ in type, in the listed values, or in those of a
 * required member. Then `oneOf` means `anyOf`, which is cheaper to check. False means that the schemas may overlap.
 * @param contract the contract that resolves references
 * @param schemas the alternatives of a `oneOf`
 * @param types the types of the values
 */
export function areDisjoint(contract: Contract, schemas: Together, types: TypeSet = allTypes): boolean {
  const forms = schemas.map((located) => formOf(contract, located, types))
  return forms.every((one, at) => forms.slice(at + 1).every((other) => isPairDisjoint(one, other)))
}

/** What distinguishes a schema from others. */
interface Form {
  readonly types: TypeSet
  /** The listed values by type, as canonical texts; undefined without a list. */
  readonly values: ReadonlyMap<string, ReadonlySet<string>> | undefined
  /** The listed values of each required member, as canonical texts. */
  readonly tags: () => ReadonlyMap<string, ReadonlySet<string>>
}

function formOf(contract: Contract, located: LocatedSchema, types: TypeSet): Form {
  const listed = listedBy(contract, located)
  let tags: ReturnType<Form['tags']> | undefined
  return {
    types: commonTypes(possibleTypes(contract, located), types),
    values:
      listed &&
      new Map([...types].map((type) => [type, textsOf(listed.filter((one) => typeOfValue(one) === type))])),
    tags: () => {
      tags ??= tagsOf(contract, located)
      return tags
    },
  }
}

function isPairDisjoint(one: Form, other: Form): boolean {
  return [...one.types].every((type) => {
    if (!other.types.has(type)) return true
    const [values, others] = [one, other].map((form) => form.values?.get(type))
    if (values && others) return haveNoCommon(values, others)
    if (type !== 'object') return false
    const tags = other.tags()
    return [...one.tags()].some(([name, own]) => {
      const listed = tags.get(name)
      return listed !== undefined && haveNoCommon(own, listed)
    })
  })
}

function textsOf(values: readonly JsonValue[]): ReadonlySet<string> {
  return new Set(values.map(canonicalText))
}

function haveNoCommon(texts: ReadonlySet<string>, others: ReadonlySet<string>): boolean {
  return [...texts].every((text) => !others.has(text))
}

type Seen = ReadonlySet<Schema>

/** Returns the listed values of each required member of a schema's objects. */
function tagsOf(contract: Contract, located: LocatedSchema): ReturnType<Form['tags']> {
  const own = conjoined(contract, located, new Set()).reduce<Conjunction>(
    (known, part) => (isObject(part.schema) ? withOwn(known, part, part.schema) : known),
    nothingSaid,
  )
  return new Map(
    requiredNames(own).flatMap((name) => {
      const lists = (own.properties.get(name) ?? []).flatMap((member) => {
        const values = listedBy(contract, member)
        return values ? [values] : []
      })
      const values = commonValues(lists)
      return values ? [[name, textsOf(values)] as const] : []
    }),
  )
}

/** Returns a schema, the target of its reference and the parts of its `allOf`, recursively. */
function conjoined(contract: Contract, located: LocatedSchema, seen: Seen): Together {
  if (seen.has(located.schema) && isObject(located.schema)) return []
  const inside: Seen = new Set([...seen, located.schema])
  return [located, ...partsOf(contract, located).flatMap((part) => conjoined(contract, part, inside))]
}

/** Returns the values that the lists of a schema and of its parts allow; undefined without a list. */
function listedBy(
  contract: Contract,
  located: LocatedSchema,
  seen: Seen = new Set(),
): readonly JsonValue[] | undefined {
  const { schema } = located
  if (!isObject(schema) || seen.has(schema)) return undefined
  const inside: Seen = new Set([...seen, schema])
  const lists = [
    listedValues(schema),
    ...partsOf(contract, located).map((part) => listedBy(contract, part, inside)),
  ].filter((list) => list !== undefined)
  const values = commonValues(lists)
  return values && member(schema, 'nullable') === true ? [...values, null] : values
}
