import { isObject } from '../json.js'
import type { Change } from './change.js'
import { change, changedMembers, type DiffContext } from './diff-context.js'
import { listed } from './words.js'

/** An object that stands in both documents, each time at its own place. */
interface ObjectPair {
  readonly old: string
  readonly new: string
  /** Where a change is told. */
  readonly place: string
}

/**
 * What differs between two objects of the documents and is judged nowhere else: texts, links, examples, tags. One change
 * names all of it.
 * @param isJudged tells the members that are compared one by one
 */
export function diffTexts(
  { oldSource, newSource }: DiffContext,
  { old, new: next, place }: ObjectPair,
  isJudged: (member: string) => boolean,
  methods: readonly string[] = [],
): readonly Change[] {
  const [before, after] = [oldSource.value(old), newSource.value(next)]
  if (!isObject(before) || !isObject(after)) return []
  const changed = changedMembers(before, after).filter((name) => name !== '$ref' && !isJudged(name))
  if (changed.length === 0) return []
  return [
    change('documentation-changed', place, [], `${listed(changed)} changed`, {
      old: { pointer: old },
      new: { pointer: next },
      ...(methods.length > 0 && { methods }),
    }),
  ]
}
