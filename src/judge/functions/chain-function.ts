/** A JSON value in a scenario. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject

/** A JSON object. Members may be absent. */
export interface JsonObject {
  readonly [member: string]: JsonValue | undefined
}

/** A function for `compute` steps of scenarios: pure, and without input or output. */
export type ChainFunction = (params: readonly JsonValue[]) => JsonValue

/** Thrown for invalid parameters. The message is one sentence that states what the function accepts. */
export class ChainFunctionError extends Error {
  override readonly name = 'ChainFunctionError'
}
