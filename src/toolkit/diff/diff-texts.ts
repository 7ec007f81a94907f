import { isObject } from '../contract/index.js'
import type { Change } from './change.js'
import { change, changedMembers, type DiffContext } from './diff-context.js'
import { listed } from './words.js'

/** An object that exists in both documents, possibly at different places. */
interface ObjectPair {
  readonly old: string
  readonly new: string
  /** The place to report. */
  readonly place: string
}

/**
 * Reports differences that no other function compares, such as texts, links, examples and tags, as one
 * change.
 * @param context the two contracts
 * @param pair the places of the object in both documents
 * @param isCompared returns true for members that other functions compare
 * @param methods the methods that share the object
 */
export function diffTexts(
  context: DiffContext,
  pair: ObjectPair,
  isCompared: (member: string) => boolean,
  methods: readonly string[] = [],
): readonly Change[] {
  const { old, new: next, place } = pair
  const [before, after] = [context.oldSource.value(old), context.newSource.value(next)]
  if (!isObject(before) || !isObject(after)) return []
  const changed = changedMembers(before, after).filter((name) => name !== '$ref' && !isCompared(name))
  if (changed.length === 0) return []
  return [
    change('documentation-changed', place, [], `${listed(changed)} changed`, {
      old: { pointer: old },
      new: { pointer: next },
      ...(methods.length > 0 && { methods }),
    }),
  ]
}
