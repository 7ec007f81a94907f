/** Any JSON value (RFC 8259). */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject

/** A JSON object. Members may be absent. */
export interface JsonObject {
  readonly [member: string]: JsonValue | undefined
}
