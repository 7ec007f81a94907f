import type { JsonObject, JsonValue } from '../json.js'
import { joinPointer, pointerTokens, valueAt } from '../json-pointer.js'

/**
 * The files of a contract. A place in the main document is a JSON pointer such as `#/methods/0`.
 * A place in another file has the file's name in front: `common/units.json#/definitions/Hash`.
 */
export interface Documents {
  /** The main document. */
  readonly root: JsonObject
  /**
   * Finds the file that a reference names.
   * @param file the part of the reference before `#`
   * @param from the name of the file that holds the reference, `''` for the main document
   * @returns the file, or a message if it is not available
   */
  readonly find: (file: string, from: string) => SourceDocument | string
  /** All files that were read, the main document first. */
  readonly all: () => readonly SourceDocument[]
}

/** A file: its name relative to the main document, and its content. */
export interface SourceDocument {
  readonly name: string
  readonly value: JsonValue
  /** The source text, used to report line numbers. Absent if the document was not read from text. */
  readonly text?: string
}

/** Wraps a contract that consists of one document. */
export function singleDocument(root: JsonObject): Documents {
  return {
    root,
    all: () => [{ name: '', value: root }],
    find: (file, from) =>
      file === ''
        ? { name: from, value: root }
        : `"${file}" is another document, but only this document was loaded: use references that begin with "#/"`,
  }
}

/**
 * Finds the target of a reference and the canonical spelling of its place (RFC 3986, section 5; RFC 6901).
 * @param documents the files of the contract
 * @param reference the text of the `$ref`
 * @param from the place of the object that holds the reference
 * @returns the target, or a message if it does not exist
 */
export function lookUp(
  documents: Documents,
  reference: string,
  from: string,
): { readonly pointer: string; readonly tokens: readonly string[]; readonly value: JsonValue } | string {
  const [file, fragment] = atHash(reference)
  const found = documents.find(file, documentOf(from))
  if (typeof found === 'string') return found
  const tokens = pointerTokens(`#${fragment}`)
  if (!tokens) return `"${reference}" is not a JSON pointer: references begin with "#/"`
  const value = valueAt(found.value, tokens)
  if (value === undefined) return `"${reference}" does not exist`
  return { pointer: joinPointer(`${found.name}#`, ...tokens), tokens, value }
}

/** Returns the name of the file of a place, `''` for the main document. */
export function documentOf(place: string): string {
  return atHash(place)[0]
}

/** Returns the JSON pointer of a place within its file. */
export function pointerOf(place: string): string {
  return `#${atHash(place)[1]}`
}

function atHash(text: string): readonly [file: string, fragment: string] {
  const at = text.indexOf('#')
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)]
}
