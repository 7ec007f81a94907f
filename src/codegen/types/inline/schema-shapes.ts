import {
  type Contract,
  followed,
  isArray,
  isObject,
  type JsonValue,
  type LocatedSchema,
  subschemas,
} from '../../../contract/index.js'
import { countedItems } from '../list-type.js'
import { resultSchemas } from '../result-schemas.js'

/** Returns a number for a schema. Schemas that are equal, apart from their own description, have the same number. */
export type ShapeOf = (located: LocatedSchema) => number

/** Keywords that neither the type of a schema nor its doc comment shows. */
const unseen = ['$comment', 'default', 'examples']

/**
 * Compares the schemas of a contract, each once. The order of members is irrelevant, and so are examples, defaults and
 * comments. References are equal if their targets are.
 */
export function createShapes(contract: Contract): ShapeOf {
  const shapes = new Map<string, number>()
  const numbers = new Map<string, number>()

  function numberOf(text: string): number {
    const number = numbers.get(text) ?? numbers.size
    numbers.set(text, number)
    return number
  }

  function shapeOf(located: LocatedSchema): number {
    const shape = shapes.get(located.pointer) ?? numberOf(shapeText(located, unseen))
    shapes.set(located.pointer, shape)
    return shape
  }

  function shapeText(located: LocatedSchema, ignored: readonly string[]): string {
    const { schema, pointer } = located
    if (!isObject(schema)) return String(schema)
    const inner = subschemas(located).filter(({ keyword }) => keyword !== 'dependencies')
    const held = new Set(['$ref', ...ignored, ...inner.map(({ keyword }) => keyword)])
    const target = followed(located, contract)
    // The type of a short list depends on its use by parameters or by results.
    const isResult = countedItems(located) !== undefined && resultSchemas(contract).has(pointer)
    const parts = [
      ...inner.map((found) => `${found.pointer.slice(pointer.length)} ${shapeOf(found)}`),
      ...(target ? [`$ref ${target.pointer}`] : []),
      ...(isResult ? ['result'] : []),
      ...Object.entries(schema)
        .filter(([keyword]) => !held.has(keyword))
        .map(([keyword, value]) => `${keyword} ${sortedText(single(keyword, value ?? null))}`),
    ]
    return JSON.stringify(parts.sort())
  }

  return (located) => numberOf(shapeText(located, [...unseen, 'description']))
}

/** Returns a type in place of a list of one type. */
function single(keyword: string, value: JsonValue): JsonValue {
  return keyword === 'type' && isArray(value) && value.length === 1 ? (value[0] ?? null) : value
}

/** Returns a JSON text whose members are sorted by name. */
function sortedText(value: JsonValue): string {
  return JSON.stringify(value, (_, inner: JsonValue) =>
    isObject(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([one], [other]) => (one < other ? -1 : 1)))
      : inner,
  )
}
