/** Any JSON value (RFC 8259). */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject

/** A JSON object. Members may be absent. */
export interface JsonObject {
  readonly [member: string]: JsonValue | undefined
}

/** Parses JSON text. Returns undefined for other text. */
export function parseJson(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue
  } catch {
    return undefined
  }
}

/** Returns true for a JSON object, false for lists, null and scalars. */
export function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns true for a JSON array. */
export function isArray(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value)
}

/**
 * Returns an own member of an object. Inherited names such as `toString` count only if the document has them.
 */
export function member(object: JsonObject, name: string): JsonValue | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined
}

/** Returns a string member, or undefined if it is absent or not a string. */
export function stringMember(object: JsonObject, name: string): string | undefined {
  const value = member(object, name)
  return typeof value === 'string' ? value : undefined
}

/** Returns a number member, or undefined if it is absent or not a number. */
export function numberMember(object: JsonObject, name: string): number | undefined {
  const value = member(object, name)
  return typeof value === 'number' ? value : undefined
}

/** Returns an object member, or an empty object if it is absent or not an object. */
export function objectMember(object: JsonObject, name: string): JsonObject {
  const value = member(object, name)
  return isObject(value) ? value : {}
}

/** Returns an array member, or an empty array if it is absent or not an array. */
export function arrayMember(object: JsonObject, name: string): readonly JsonValue[] {
  const value = member(object, name)
  return isArray(value) ? value : []
}

/** Returns the members whose names begin with `x-`, in the document's order. */
export function extensionMembers(object: JsonObject): { readonly [name: `x-${string}`]: JsonValue } {
  const own = Object.entries(object).filter(([name, value]) => name.startsWith('x-') && value !== undefined)
  return Object.fromEntries(own) as { readonly [name: `x-${string}`]: JsonValue }
}
