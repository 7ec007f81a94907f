import type fc from 'fast-check'
import {
  arrayMember,
  type Contract,
  isArray,
  isObject,
  isSchema,
  type JsonObject,
  type JsonValue,
  joinPointer,
  type LocatedSchema,
  member,
} from '../contract/index.js'

/** What one value must fit, and what it must not fit. */
export interface Constraints {
  readonly all: readonly LocatedSchema[]
  readonly none: readonly LocatedSchema[]
}

/** JSON's types, with whole numbers told from other numbers. */
export type TypeName = 'null' | 'boolean' | 'integer' | 'number' | 'string' | 'array' | 'object'

/** A schema that is an object of keywords. */
export interface KeywordSchema extends LocatedSchema {
  readonly schema: JsonObject
}

/** One way to meet constraints: references are followed, and one form of each composition is chosen. */
export interface Alternative {
  readonly schemas: readonly KeywordSchema[]
  /** Schemas that the value must not fit, as far as `schemas` does not say so already. */
  readonly none: readonly LocatedSchema[]
  readonly types: readonly TypeName[]
  /** True where a schema states the type. */
  readonly isTyped: boolean
}

/** What the makers of values have in common. */
export interface Maker {
  readonly contract: Contract
  /** True for values of all kinds, false for values that people like to read. */
  readonly varied: boolean
  /** Checks a value by the schema as the contract states it. */
  readonly fits: (located: LocatedSchema, value: JsonValue) => boolean
  /**
   * Values that meet constraints, inside so many objects and lists.
   * @throws NoValueError where there are none
   */
  readonly make: (constraints: Constraints, level: number) => fc.Arbitrary<JsonValue>
}

/** Objects and lists inside this many others hold no more than they must. */
export const sparseLevel = 4

/** No value was found that fits a schema. */
export class NoValueError extends Error {
  override readonly name = 'NoValueError'
  /** The narrowest schema that nothing was found for. */
  readonly pointer: string

  constructor(pointer: string) {
    super(`no value was found for the schema at ${pointer}`)
    this.pointer = pointer
  }
}

/** The result of a function; undefined where it finds no value. */
export function unlessNone<Value>(make: () => Value): Value | undefined {
  try {
    return make()
  } catch (error) {
    if (error instanceof NoValueError) return undefined
    throw error
  }
}

/** The values that the schemas give a keyword. */
export function stated({ schemas }: Pick<Alternative, 'schemas'>, keyword: string): readonly JsonValue[] {
  return schemas.flatMap(({ schema }) => {
    const value = member(schema, keyword)
    return value === undefined ? [] : [value]
  })
}

/** The numbers that the schemas give a keyword. */
export function numbers(alternative: Pick<Alternative, 'schemas'>, keyword: string): readonly number[] {
  return stated(alternative, keyword).filter((value) => typeof value === 'number')
}

/** The texts that the schemas give a keyword, or list under it. */
export function texts(alternative: Pick<Alternative, 'schemas'>, keyword: string): readonly string[] {
  return [...new Set(stated(alternative, keyword).filter((value) => typeof value === 'string'))]
}

/** The schemas that the schemas give a keyword. */
export function held({ schemas }: Pick<Alternative, 'schemas'>, keyword: string): readonly LocatedSchema[] {
  return schemas.flatMap(({ schema, pointer }) => {
    const value = member(schema, keyword)
    return isSchema(value) ? [{ pointer: joinPointer(pointer, keyword), schema: value }] : []
  })
}

/** The bounds that two keywords set together, such as `minItems` and `maxItems`. */
export function bounds(
  alternative: Pick<Alternative, 'schemas'>,
  least: string,
  most: string,
): { readonly least: number; readonly most: number } {
  return {
    least: Math.ceil(Math.max(0, ...numbers(alternative, least))),
    most: Math.floor(Math.min(Number.MAX_SAFE_INTEGER, ...numbers(alternative, most))),
  }
}

/** The values that the schemas show (`examples`, OpenAPI's `example`). */
export function shown({ schemas }: Pick<Alternative, 'schemas'>): readonly JsonValue[] {
  return schemas.flatMap(({ schema }) => {
    const example = member(schema, 'example')
    return [...arrayMember(schema, 'examples'), ...(example === undefined ? [] : [example])]
  })
}

/** True for a schema that is an object of keywords. */
export function isKeywordSchema(located: LocatedSchema): located is KeywordSchema {
  return isObject(located.schema)
}

/** True for a reference with nothing beside it. */
export function isPlainReference({ schema }: LocatedSchema): boolean {
  return isObject(schema) && Object.keys(schema).length === 1 && member(schema, '$ref') !== undefined
}

/** The type of a value. */
export function typeOf(value: JsonValue): TypeName {
  if (value === null) return 'null'
  if (isArray(value)) return 'array'
  if (isObject(value)) return 'object'
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number'
  return typeof value === 'string' ? 'string' : 'boolean'
}
