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
