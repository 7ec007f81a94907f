import type { LocatedSchema } from '../../contract/index.js'
import { arrayMember, isObject, type JsonObject, type JsonValue, member } from '../../contract/index.js'
import type { KeywordSchema, TypeName } from './wish.js'

/** Keywords that can make a value fit or not; the others are for people. */
const asserting = new Set(
  `$ref type enum const pattern format minLength maxLength minimum maximum exclusiveMinimum exclusiveMaximum multipleOf items
  additionalItems minItems maxItems uniqueItems contains minContains maxContains properties patternProperties
  additionalProperties propertyNames minProperties maxProperties required dependencies dependentRequired
  dependentSchemas unevaluatedItems unevaluatedProperties if not allOf anyOf oneOf`.split(/\s+/),
)

/** The words of a schema that assert something. */
export function assertions(schema: JsonObject): readonly string[] {
  return Object.keys(schema).filter((keyword) => asserting.has(keyword))
}

/** A bound that is broken, as the bound that a value which breaks it keeps. */
const opposites: Readonly<Record<string, (bound: number) => JsonObject>> = {
  minimum: (bound) => ({ exclusiveMaximum: bound }),
  maximum: (bound) => ({ exclusiveMinimum: bound }),
  exclusiveMinimum: (bound) => ({ maximum: bound }),
  exclusiveMaximum: (bound) => ({ minimum: bound }),
  minLength: (bound) => ({ maxLength: bound - 1 }),
  maxLength: (bound) => ({ minLength: bound + 1 }),
  minItems: (bound) => ({ maxItems: bound - 1 }),
  maxItems: (bound) => ({ minItems: bound + 1 }),
  minProperties: (bound) => ({ maxProperties: bound - 1 }),
  maxProperties: (bound) => ({ minProperties: bound + 1 }),
}

/** The types that a bound speaks of. */
const bounded: readonly (readonly [RegExp, readonly TypeName[]])[] = [
  [/imum$/, ['integer', 'number']],
  [/Length$/, ['string']],
  [/Items$/, ['array']],
  [/Properties$|^required$/, ['object']],
]

/**
 * What a value of the given type keeps that must not fit a schema: undefined where that cannot be said in one word.
 * @param needed the members that the value must have
 */
export function contrary(
  { schema, pointer }: LocatedSchema,
  type: TypeName,
  needed: ReadonlySet<string>,
): KeywordSchema | undefined {
  if (!isObject(schema) || member(schema, 'nullable') === true) return undefined
  const said = assertions(schema).filter((keyword) => !(keyword === 'type' && names(schema, type)))
  const [keyword, another] = said
  if (keyword === undefined || another !== undefined) return undefined
  const types = bounded.find(([pattern]) => pattern.test(keyword))?.[1] ?? []
  if (!types.includes(type)) return undefined
  const opposite = oppositeOf(
    keyword,
    member(schema, keyword),
    arrayMember(schema, keyword).map(String),
    needed,
  )
  return opposite && { pointer, schema: opposite }
}

function names(schema: JsonObject, type: TypeName): boolean {
  const declared = [member(schema, 'type')].flat()
  return declared.includes(type) || (type === 'integer' && declared.includes('number'))
}

function oppositeOf(
  keyword: string,
  bound: JsonValue | undefined,
  listed: readonly string[],
  needed: ReadonlySet<string>,
): JsonObject | undefined {
  if (keyword !== 'required') return typeof bound === 'number' ? opposites[keyword]?.(bound) : undefined
  const absent = listed.find((name) => !needed.has(name)) ?? listed[0]
  return absent === undefined ? undefined : { properties: Object.fromEntries([[absent, false]]) }
}
