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

/** Schemas that a value must fit, and schemas that it must not fit. */
export interface Constraints {
  readonly all: readonly LocatedSchema[]
  readonly none: readonly LocatedSchema[]
}

/** JSON types, with integers separate from other numbers. */
export type TypeName = 'null' | 'boolean' | 'integer' | 'number' | 'string' | 'array' | 'object'

/** A schema that is an object of keywords. */
export interface KeywordSchema extends LocatedSchema {
  readonly schema: JsonObject
}

/** A schema of an alternative, and the pointers of the schemas that apply it to their own value. */
export interface AppliedSchema extends KeywordSchema {
  readonly within: readonly string[]
}

/** One way to meet constraints, with references resolved and one option of each composition chosen. */
export interface Alternative {
  readonly schemas: readonly AppliedSchema[]
  /** Schemas that the value must not fit, apart from those already expressed in `schemas`. */
  readonly none: readonly LocatedSchema[]
  readonly types: readonly TypeName[]
  /** True if a schema declares the type. */
  readonly isTyped: boolean
}

/** Context shared by all value generators. */
export interface Maker {
  readonly contract: Contract
  /** True for varied values, false for readable ones. */
  readonly varied: boolean
  /** True for numbers near their lower bound or zero. */
  readonly small: boolean
  /** Checks a value with the original schema of the contract. */
  readonly fits: (located: LocatedSchema, value: JsonValue) => boolean
  /**
   * Generates values that meet constraints, at a nesting level.
   * @throws NoValueError if there are none
   */
  readonly make: (constraints: Constraints, level: number) => fc.Arbitrary<JsonValue>
}

/** Nesting level from which objects and lists hold only what they must. */
export const sparseLevel = 5

/** No value was found that fits a schema. */
export class NoValueError extends Error {
  override readonly name = 'NoValueError'
  /** Pointer of the innermost schema without a value. */
  readonly pointer: string

  constructor(pointer: string, options?: ErrorOptions) {
    super(`no value was found for the schema at ${pointer}`, options)
    this.pointer = pointer
  }
}

/** Returns the error as a NoValueError. Any other error of a generator means that it found no value, too. */
export function asNoValue(error: unknown, pointer: string): NoValueError {
  return error instanceof NoValueError ? error : new NoValueError(pointer, { cause: error })
}

/** Returns the result of a function, or undefined if it throws NoValueError. */
export function unlessNone<Value>(make: () => Value): Value | undefined {
  try {
    return make()
  } catch (error) {
    if (error instanceof NoValueError) return undefined
    throw error
  }
}

interface Stated {
  readonly schemas: readonly KeywordSchema[]
}

/** Values of a keyword in the schemas. */
export function stated({ schemas }: Stated, keyword: string): readonly JsonValue[] {
  return schemas.flatMap(({ schema }) => {
    const value = member(schema, keyword)
    return value === undefined ? [] : [value]
  })
}

/** Numeric values of a keyword in the schemas. */
export function numbers(alternative: Stated, keyword: string): readonly number[] {
  return stated(alternative, keyword).filter((value) => typeof value === 'number')
}

/** Distinct text values of a keyword in the schemas. */
export function texts(alternative: Stated, keyword: string): readonly string[] {
  return [...new Set(stated(alternative, keyword).filter((value) => typeof value === 'string'))]
}

/** Schemas under a keyword in the schemas. */
export function held({ schemas }: Stated, keyword: string): readonly LocatedSchema[] {
  return schemas.flatMap(({ schema, pointer }) => {
    const value = member(schema, keyword)
    return isSchema(value) ? [{ pointer: joinPointer(pointer, keyword), schema: value }] : []
  })
}

/** Combined bounds of two keywords, such as `minItems` and `maxItems`. */
export function bounds(
  alternative: Stated,
  least: string,
  most: string,
): { readonly least: number; readonly most: number } {
  return {
    least: Math.ceil(Math.max(0, ...numbers(alternative, least))),
    most: Math.floor(Math.min(Number.MAX_SAFE_INTEGER, ...numbers(alternative, most))),
  }
}

/** Example values of the schemas (`examples`, OpenAPI's `example`). */
export function shown({ schemas }: Stated): readonly JsonValue[] {
  return schemas.flatMap(({ schema }) => {
    const example = member(schema, 'example')
    return [...arrayMember(schema, 'examples'), ...(example === undefined ? [] : [example])]
  })
}

/** True for a schema that is an object of keywords. */
export function isKeywordSchema(located: LocatedSchema): located is KeywordSchema {
  return isObject(located.schema)
}

/** Returns the type of a value. */
export function typeOf(value: JsonValue): TypeName {
  if (value === null) return 'null'
  if (isArray(value)) return 'array'
  if (isObject(value)) return 'object'
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number'
  return typeof value === 'string' ? 'string' : 'boolean'
}
