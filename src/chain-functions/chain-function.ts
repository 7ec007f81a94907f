/** A JSON value, as scenarios hold it. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject

/** A JSON object; a member may be absent. */
export interface JsonObject {
  readonly [member: string]: JsonValue | undefined
}

/** What a `compute` step of a scenario calls: the same value for the same parameters, and no input or output. */
export type ChainFunction = (params: readonly JsonValue[]) => JsonValue

/** A scenario gave a function what it cannot compute with; the message is one sentence that says what it takes. */
export class ChainFunctionError extends Error {
  override readonly name = 'ChainFunctionError'
}
