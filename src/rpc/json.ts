/** Any value that JSON can carry (RFC 8259). */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject

/** A JSON object; a member may be absent. */
export interface JsonObject {
  readonly [member: string]: JsonValue | undefined
}
