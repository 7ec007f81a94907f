import type { ContractProblem } from '../contract-error.js'
import { isObject, type JsonObject, type JsonValue, stringMember } from '../json.js'
import { joinPointer, pointerTokens, valueAt } from '../json-pointer.js'
import { withMethodDefaults } from './method-defaults.js'
import { withSchemaLimits } from './schema-limits.js'

/**
 * The files of a contract. A place in the main document is a JSON pointer such as `#/methods/0`.
 * A place in another file has the file's name in front: `common/units.json#/definitions/Hash`.
 */
export interface Documents {
  /** The main document, as {@link writtenOut} returns it. */
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

/** Writes out what a document abbreviates: `x-method-defaults`, and limits that are keywords of schemas. */
export function writtenOut(authored: JsonObject): JsonObject {
  return withSchemaLimits(withMethodDefaults(authored))
}

/** Wraps a contract that consists of one document. */
export function singleDocument(authored: JsonObject): Documents {
  const root = writtenOut(authored)
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

/** An object of the document and its place. */
export interface LocatedObject {
  readonly pointer: string
  readonly value: JsonObject
}

/**
 * Follows references within and between documents, and collects problems so that all are reported together.
 */
export interface DocumentReader {
  readonly problems: ContractProblem[]
  /**
   * Returns the object at a place after following references. Adds a problem and returns undefined if it is
   * missing.
   */
  readonly object: (value: JsonValue | undefined, pointer: string) => LocatedObject | undefined
  /** Returns the objects of a list after following references. */
  readonly objects: (list: readonly JsonValue[], pointer: string) => readonly LocatedObject[]
}

/** Creates a reader for the documents of a contract. */
export function createDocumentReader(documents: Documents): DocumentReader {
  const problems: ContractProblem[] = []

  function object(value: JsonValue | undefined, pointer: string): LocatedObject | undefined {
    const seen = new Set<string>()
    let here = { value, pointer }
    for (;;) {
      if (!isObject(here.value)) {
        const rule = seen.size === 0 ? 'meta-schema' : 'dangling-reference'
        problems.push({ pointer: here.pointer, message: 'must be an object', rule })
        return undefined
      }
      const reference = stringMember(here.value, '$ref')
      if (reference === undefined) return { pointer: here.pointer, value: here.value }
      const target = lookUp(documents, reference, here.pointer)
      if (typeof target === 'string' || seen.has(target.pointer)) {
        const message = typeof target === 'string' ? target : `"${reference}" refers to itself`
        problems.push({ pointer: here.pointer, message, rule: 'dangling-reference' })
        return undefined
      }
      seen.add(target.pointer)
      here = target
    }
  }

  return {
    problems,
    object,
    objects: (list, pointer) => list.flatMap((item, at) => object(item, joinPointer(pointer, at)) ?? []),
  }
}
