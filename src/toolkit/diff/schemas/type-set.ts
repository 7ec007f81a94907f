import { canonicalText, isArray, isObject, type JsonValue, type LocatedSchema } from '../../contract/index.js'
import { keyword } from './schema-view.js'

/** A JSON Schema type. `number` is split into `integer` and `fraction`. */
export type TypeAtom = 'null' | 'boolean' | 'object' | 'array' | 'string' | 'integer' | 'fraction'

const atoms: Readonly<Record<string, readonly TypeAtom[]>> = {
  null: ['null'],
  boolean: ['boolean'],
  object: ['object'],
  array: ['array'],
  string: ['string'],
  integer: ['integer'],
  number: ['integer', 'fraction'],
}

export const allTypes: ReadonlySet<TypeAtom> = new Set(Object.values(atoms).flat())

/**
 * Returns the types that a schema's own keywords allow: `type`, and the types of `enum` and `const` values.
 */
export function typesOf(located: LocatedSchema): ReadonlySet<TypeAtom> {
  if (located.schema === false) return new Set()
  const values = finiteValues(located)
  return values === undefined ? declaredTypes(located) : new Set(values.map(typeOfValue))
}

function declaredTypes(located: LocatedSchema): ReadonlySet<TypeAtom> {
  const type = keyword(located, 'type')
  const names = isArray(type) ? type : type === undefined ? [] : [type]
  const known = names.flatMap((name) => (typeof name === 'string' ? (atoms[name] ?? []) : []))
  return type === undefined ? allTypes : new Set(known)
}

/** Formats types in a fixed order. */
export function typeText(types: ReadonlySet<TypeAtom>): string {
  if (types.size === 0) return 'nothing'
  if (types.size === allTypes.size) return 'any type'
  const words = [...types].map((type) =>
    type === 'fraction' ? 'number' : type === 'integer' && types.has('fraction') ? '' : type,
  )
  return words.filter(Boolean).sort(nullLast).join(' or ')
}

function nullLast(a: string, b: string): number {
  return Number(a === 'null') - Number(b === 'null') || (a < b ? -1 : 1)
}

/** Returns the values that `enum`, `const` or the type allow, or undefined if they are not finite. */
export function finiteValues(located: LocatedSchema): readonly JsonValue[] | undefined {
  const types = declaredTypes(located)
  const lists = [keyword(located, 'enum'), constant(located)].filter(isArray)
  const [first, ...others] = lists
  if (first) {
    const kept = others.map((list) => new Set(list.map(canonicalText)))
    return first.filter(
      (value) => types.has(typeOfValue(value)) && kept.every((set) => set.has(canonicalText(value))),
    )
  }
  const hasFew = [...types].every((type) => type === 'null' || type === 'boolean')
  if (!hasFew) return undefined
  return [...types].flatMap((type): readonly JsonValue[] => (type === 'null' ? [null] : [true, false]))
}

function constant(located: LocatedSchema): readonly JsonValue[] | undefined {
  const value = keyword(located, 'const')
  return value === undefined ? undefined : [value]
}

/** Returns the type of a value. */
export function typeOfValue(value: JsonValue): TypeAtom {
  if (value === null) return 'null'
  if (typeof value === 'boolean') return 'boolean'
  if (typeof value === 'string') return 'string'
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'fraction'
  return isObject(value) ? 'object' : 'array'
}
