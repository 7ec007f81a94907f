import type { ContractProblem } from './contract-error.js'
import { isObject, type JsonObject, type JsonValue, stringMember } from './json.js'
import { joinPointer, pointerTokens, valueAt } from './json-pointer.js'

/** An object of the document and the place where it stands. */
export interface LocatedObject {
  readonly pointer: string
  readonly value: JsonObject
}

/** Follows references within a document and keeps what goes wrong, so that all of it can be said at once. */
export interface DocumentReader {
  readonly problems: ContractProblem[]
  /** The object at a place, references followed to their end; undefined, and a problem, where there is none. */
  readonly object: (value: JsonValue | undefined, pointer: string) => LocatedObject | undefined
  /** The objects of a list, references followed. */
  readonly objects: (list: readonly JsonValue[], pointer: string) => readonly LocatedObject[]
}

/** A reader of one document. */
export function createDocumentReader(document: JsonObject): DocumentReader {
  const problems: ContractProblem[] = []

  function object(value: JsonValue | undefined, pointer: string): LocatedObject | undefined {
    const seen = new Set<string>()
    let here = { value, pointer }
    for (;;) {
      if (!isObject(here.value)) {
        problems.push({ pointer: here.pointer, message: 'must be an object' })
        return undefined
      }
      const reference = stringMember(here.value, '$ref')
      if (reference === undefined) return { pointer: here.pointer, value: here.value }
      const target = lookUp(document, reference)
      if (typeof target === 'string' || seen.has(target.pointer)) {
        const message = typeof target === 'string' ? target : `"${reference}" refers to itself`
        problems.push({ pointer: here.pointer, message })
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

/**
 * The value that a reference leads to, and the canonical spelling of its place.
 * @returns in words why it leads nowhere
 */
export function lookUp(
  document: JsonObject,
  reference: string,
): { readonly pointer: string; readonly value: JsonValue } | string {
  if (!reference.startsWith('#')) {
    return `"${reference}" leads out of this document: references begin with "#/"`
  }
  const tokens = pointerTokens(reference)
  if (!tokens) return `"${reference}" is no JSON pointer: references begin with "#/"`
  const value = valueAt(document, tokens)
  if (value === undefined) return `"${reference}" leads nowhere`
  return { pointer: joinPointer('#', ...tokens), value }
}
