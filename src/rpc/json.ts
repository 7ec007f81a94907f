/** Any JSON value (RFC 8259). */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject

/** A JSON object. Members may be absent. */
export interface JsonObject {
  readonly [member: string]: JsonValue | undefined
}

/**
 * A JSON text that is sent without parsing, such as a node's answer or a document. Its creator guarantees
 * that it is one valid JSON value.
 */
export class RawJson {
  /** The text, as a string or in UTF-8. */
  readonly text: string | Uint8Array

  constructor(text: string | Uint8Array) {
    this.text = text
  }
}

/** A text that is produced in chunks. The reader must read it to the end or cancel it. */
export interface JsonSource {
  /**
   * Returns the next chunk, or undefined at the end. A chunk is valid until the next call. Rejects if the
   * rest is not available.
   */
  next(): Promise<Uint8Array | undefined>
  /** Stops reading. Has no effect after the end. */
  cancel(): void
}

/**
 * A JSON text too large for memory, in UTF-8. It is sent while it is produced, so a late failure can only
 * close the connection.
 */
export class RawJsonStream {
  readonly source: JsonSource

  constructor(source: JsonSource) {
    this.source = source
  }
}
