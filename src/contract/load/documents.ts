import type { JsonObject, JsonValue } from '../json.js'
import { joinPointer, pointerTokens, valueAt } from '../json-pointer.js'

/**
 * The files that a contract is made of. A place in the contract's own document is a JSON pointer such as
 * `#/methods/0`; a place in another file has that file's name in front: `common/units.json#/definitions/Hash`.
 */
export interface Documents {
  /** The contract's own document. */
  readonly root: JsonObject
  /**
   * The file that a reference names, as the file called `from` sees it.
   * @param file the part of the reference in front of `#`
   * @param from the name of the file that holds the reference, `''` for the contract's own document
   * @returns in words why there is none
   */
  readonly find: (file: string, from: string) => SourceDocument | string
  /** Every file that was read, the contract's own document first. */
  readonly all: () => readonly SourceDocument[]
}

/** One file: its name, relative to the contract's own, and what it holds. */
export interface SourceDocument {
  readonly name: string
  readonly value: JsonValue
  /** What it was read from, for the lines of what is wrong; absent where it never was a text. */
  readonly text?: string
}

/** A contract in one document. */
export function singleDocument(root: JsonObject): Documents {
  return {
    root,
    all: () => [{ name: '', value: root }],
    find: (file, from) =>
      file === ''
        ? { name: from, value: root }
        : `"${file}" is another document, and this one was read alone: references begin with "#/"`,
  }
}

/**
 * The value that a reference leads to, and the canonical spelling of its place (RFC 3986, section 5; RFC 6901).
 * @param from the place of what holds the reference
 * @returns in words why it leads nowhere
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
  if (!tokens) return `"${reference}" is no JSON pointer: references begin with "#/"`
  const value = valueAt(found.value, tokens)
  if (value === undefined) return `"${reference}" leads nowhere`
  return { pointer: joinPointer(`${found.name}#`, ...tokens), tokens, value }
}

/** The name of the file that a place lies in, `''` for the contract's own document. */
export function documentOf(place: string): string {
  return atHash(place)[0]
}

/** The JSON pointer of a place within its file. */
export function pointerOf(place: string): string {
  return `#${atHash(place)[1]}`
}

function atHash(text: string): readonly [file: string, fragment: string] {
  const at = text.indexOf('#')
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)]
}
