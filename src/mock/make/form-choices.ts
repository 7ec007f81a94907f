import { isObject, type LocatedSchema, member } from '../../contract/index.js'
import { NoValueError } from './no-value.js'
import type { Mood, Search } from './wish.js'

/** The choices that a wish leaves open. */
export interface FormChoices {
  /**
   * One form of a composition.
   * @throws NoValueError where none can have a value
   */
  readonly form: (forms: readonly LocatedSchema[], pointer: string) => LocatedSchema
  /** Whether a value that may be null by OpenAPI's word is. */
  readonly isNull: () => boolean
  /** Whether a condition is to be met. */
  readonly isMet: () => boolean
}

/** In this part of all first tries a value that may be null is null. */
const nullPart = 0.15
/** After so many attempts a thrifty choice takes in forms that are one level higher. */
const attemptsPerHeight = 4

/**
 * Makes choices, other ones at each attempt: the first of a wish goes through all forms in turn, from a turn on, the
 * others are left to chance.
 */
export function createFormChoices({ random, heightOf }: Search, mood: Mood, turn: number): FormChoices {
  const { attempt, thrifty } = mood
  let isFirst = true

  function next(count: number): number {
    const index = isFirst ? (turn + attempt) % count : random.whole(0, count - 1)
    isFirst = false
    return index
  }

  return {
    form(forms, pointer) {
      const possible = forms.filter((each) => heightOf(each) < Number.POSITIVE_INFINITY)
      if (possible.length === 0) throw new NoValueError(pointer)
      const highest = Math.min(...possible.map(heightOf)) + Math.floor(attempt / attemptsPerHeight)
      const low = thrifty ? possible.filter((each) => heightOf(each) <= highest) : possible
      const fuller = low.filter((each) => !isNullForm(each))
      const isFuller = attempt === 0 && fuller.length > 0 && !random.chance(nullPart)
      const offered = isFuller ? fuller : low
      return offered[next(offered.length)] ?? random.pick(offered)
    },
    isNull: () => (attempt === 0 ? random.chance(nullPart) : next(2) === 1),
    isMet: () => next(2) === 0,
  }
}

function isNullForm({ schema }: LocatedSchema): boolean {
  return isObject(schema) && (member(schema, 'type') === 'null' || member(schema, 'const') === null)
}
