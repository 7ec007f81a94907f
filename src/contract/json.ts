/** Any value that JSON can carry (RFC 8259), as an OpenRPC document holds it. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject

/** A JSON object; a member may be absent. */
export interface JsonObject {
  readonly [member: string]: JsonValue | undefined
}

/** True for a JSON object, false for lists, null and scalars. */
export function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** True for a JSON array. */
export function isArray(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value)
}

/** An object's own member: `toString` and `__proto__` are members only where the document says so. */
export function member(object: JsonObject, name: string): JsonValue | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined
}

/** A member that is a string, undefined where it is absent or something else. */
export function stringMember(object: JsonObject, name: string): string | undefined {
  const value = member(object, name)
  return typeof value === 'string' ? value : undefined
}

/** A member that is an object, an empty one where it is absent or something else. */
export function objectMember(object: JsonObject, name: string): JsonObject {
  const value = member(object, name)
  return isObject(value) ? value : {}
}

/** A member that is an array, an empty one where it is absent or something else. */
export function arrayMember(object: JsonObject, name: string): readonly JsonValue[] {
  const value = member(object, name)
  return isArray(value) ? value : []
}

/** The members whose names begin with `x-`, in the document's order. */
export function extensionMembers(object: JsonObject): { readonly [name: `x-${string}`]: JsonValue } {
  const own = Object.entries(object).filter(([name, value]) => name.startsWith('x-') && value !== undefined)
  return Object.fromEntries(own) as { readonly [name: `x-${string}`]: JsonValue }
}
