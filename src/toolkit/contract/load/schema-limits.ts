import type { ContractProblem } from '../contract-error.js'
import { isObject, type JsonObject, type JsonValue, member, objectMember, stringMember } from '../json.js'
import { joinPointer, pointerTokens, valueAt } from '../json-pointer.js'

/**
 * Adds `value` to the limits that take it from a schema, so that a contract states each number once. A limit (`x-limits`)
 * has either a `value`, or `from`: the JSON pointer of a keyword such as `maxItems`. `prefix` and `each` convert a length
 * to the unit of the limit: hexadecimal text with `0x`, whose limit is in bytes, has `"prefix": 2, "each": 2`.
 * @param document a document whose limits have `value` or `from`
 * @returns the document with a `value` in every limit
 */
export function withSchemaLimits(document: JsonObject): JsonObject {
  const info = member(document, 'info')
  const limits = isObject(info) ? member(info, 'x-limits') : undefined
  if (!isObject(info) || !isObject(limits)) return document
  const written = Object.entries(limits).map(([name, limit = null]) => [name, writtenOut(document, limit)])
  return { ...document, info: { ...info, 'x-limits': Object.fromEntries(written) } }
}

function writtenOut(document: JsonObject, limit: JsonValue): JsonValue {
  const value = isObject(limit) ? derivedValue(document, limit) : undefined
  if (!isObject(limit) || value === undefined) return limit
  const { from: _, prefix: __, each: ___, ...others } = limit
  return { value, ...others }
}

function derivedValue(document: JsonObject, limit: JsonObject): number | undefined {
  const from = stringMember(limit, 'from')
  const stated = from === undefined ? undefined : valueAt(document, pointerTokens(from) ?? [])
  return typeof stated === 'number'
    ? (stated - numberOr(limit, 'prefix', 0)) / numberOr(limit, 'each', 1)
    : undefined
}

function numberOr(limit: JsonObject, name: string, otherwise: number): number {
  const value = member(limit, name)
  return typeof value === 'number' ? value : otherwise
}

/** Finds limits whose `from` leads to no number, or that state their value, too. */
export function schemaLimitProblems(document: JsonObject): readonly ContractProblem[] {
  const limits = objectMember(objectMember(document, 'info'), 'x-limits')
  return Object.entries(limits).flatMap(([name, limit]) => {
    if (!isObject(limit) || member(limit, 'from') === undefined) return []
    const pointer = joinPointer('#/info/x-limits', name, 'from')
    if (member(limit, 'value') !== undefined)
      return [{ pointer, message: 'the limit states its value, too: remove "value" or "from"' }]
    if (Number.isInteger(derivedValue(document, limit))) return []
    return [{ pointer, message: 'leads to no keyword with a fitting number: correct the JSON pointer' }]
  })
}
