import { isObject, type JsonObject, type JsonValue, type LocatedSchema } from '../../contract/index.js'
import type { HeightOf } from './heights.js'
import type { Random } from './random.js'

/** What one value must fit, and what it must not. */
export interface Wish {
  readonly all: readonly LocatedSchema[]
  readonly none: readonly LocatedSchema[]
  /** The one type that it may have, where that is settled. */
  readonly type?: TypeName
}

/** JSON's types, whole numbers told from other numbers. */
export type TypeName = 'null' | 'boolean' | 'integer' | 'number' | 'string' | 'array' | 'object'

/** A schema that is an object of keywords. */
export interface KeywordSchema extends LocatedSchema {
  readonly schema: JsonObject
}

/** A wish with every choice made: references followed, one form of each composition taken. */
export interface Demand {
  readonly schemas: readonly KeywordSchema[]
  readonly none: readonly LocatedSchema[]
  readonly types: ReadonlySet<TypeName>
  /** True where no schema says of which type the value is. */
  readonly isUntyped: boolean
}

/** How a value is looked for. */
export interface Mood {
  /** How many times it was tried already. */
  readonly attempt: number
  /** True where no more is made than has to be: far inside a value, in a large one, or after many tries. */
  readonly thrifty: boolean
  /** How many objects and lists the value lies in. */
  readonly depth: number
}

/** What the search for one answer has in common. */
export interface Search {
  readonly random: Random
  readonly heightOf: HeightOf
  /** Whether a value fits a schema, by the same validator that answers are checked with. */
  readonly fits: (located: LocatedSchema, value: JsonValue) => boolean
  /** One step along a schema's reference, undefined where it has none. */
  readonly follow: (located: LocatedSchema) => LocatedSchema | undefined
  /**
   * Makes a value for a wish.
   * @throws NoValueError where none is found, EffortSpentError where too much was tried in this search
   */
  readonly make: (wish: Wish, depth: number) => JsonValue
  /** Whether nothing was found for a wish before in this search. */
  readonly isHopeless: (wish: Wish) => boolean
}

/** The place to name when a wish cannot be fulfilled, behind references with nothing beside them. */
export function placeOf({ all }: Wish, { follow }: Pick<Search, 'follow'>): string {
  const seen = new Set<string>()
  let here = all[0]
  for (
    let next = here;
    next && !seen.has(next.pointer);
    next = isPlainReference(next) ? follow(next) : undefined
  ) {
    seen.add(next.pointer)
    here = next
  }
  return here?.pointer ?? '#'
}

function isPlainReference({ schema }: LocatedSchema): boolean {
  return isObject(schema) && Object.keys(schema).length === 1
}

/** Whether a value is what was wished for. */
export function fulfils({ all, none }: Wish, value: JsonValue, { fits }: Pick<Search, 'fits'>): boolean {
  return all.every((located) => fits(located, value)) && !none.some((located) => fits(located, value))
}
