import type { ContractProblem } from '../contract-error.js'
import { isObject, type JsonObject, type JsonValue, stringMember } from '../json.js'
import { joinPointer } from '../json-pointer.js'
import { type Documents, lookUp } from './documents.js'

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
