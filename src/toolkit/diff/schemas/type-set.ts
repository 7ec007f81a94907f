import {
  allTypes,
  canonicalText,
  declaredTypes,
  isArray,
  type JsonValue,
  type LocatedSchema,
  type TypeAtom,
  typeOfValue,
} from '../../contract/index.js'
import { keyword } from './schema-view.js'

/**
 * Returns the types that a schema's own keywords allow: `type`, and the types of `enum` and `const` values.
 */
export function typesOf(located: LocatedSchema): ReadonlySet<TypeAtom> {
  if (located.schema === false) return new Set()
  const values = finiteValues(located)
  return values === undefined ? declaredTypes(keyword(located, 'type')) : new Set(values.map(typeOfValue))
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
  const types = declaredTypes(keyword(located, 'type'))
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
