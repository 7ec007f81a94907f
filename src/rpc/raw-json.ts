/**
 * A JSON text that is written behind the caller's id as it stands, neither parsed nor copied into an object: what a
 * node answered, or a document. Whoever makes one vouches for its being one JSON value.
 */
export class RawJson {
  /** The value's text, or that text in UTF-8. */
  readonly text: string | Uint8Array

  constructor(text: string | Uint8Array) {
    this.text = text
  }
}

/** A text that is read piece by piece while it is made. Whoever gets one reads it to its end or cancels it. */
export interface JsonSource {
  /**
   * The next piece; undefined behind the last. It is the reader's until the next one is asked for. Rejects when the rest
   * is not to be had.
   */
  next(): Promise<Uint8Array | undefined>
  /** Nobody reads any more. Does nothing behind the end. */
  cancel(): void
}

/**
 * A JSON text too large to be held, in UTF-8. It is sent while it is made: what fails on the way can only be told by
 * ending the connection.
 */
export class RawJsonStream {
  readonly source: JsonSource

  constructor(source: JsonSource) {
    this.source = source
  }
}
