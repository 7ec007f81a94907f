import {
  bumpedVersion,
  type Change,
  isLowerVersion,
  provenParties,
  versionBump,
} from '../../toolkit/diff/index.js'
import type { ReviewedChange } from './accepted-changes.js'

/** Classes of changes, the worst first. */
export const changeClasses = [
  'breaking for both',
  'breaking for clients',
  'breaking for servers',
  'undecided',
  'compatible',
] as const

/** A class of changes. */
export type ChangeClass = (typeof changeClasses)[number]

/** Returns the class of a change. A change is undecided if no party is sure to break. */
export function classOf(change: Change): ChangeClass {
  const [first, second] = provenParties(change)
  if (second !== undefined) return 'breaking for both'
  if (first !== undefined) return `breaking for ${first}`
  return change.breaks.length > 0 ? 'undecided' : 'compatible'
}

/** Counts the changes of each class. */
export function countByClass(changes: readonly Change[]): Readonly<Record<ChangeClass, number>> {
  const count = (wanted: ChangeClass) => changes.filter((change) => classOf(change) === wanted).length
  return {
    'breaking for both': count('breaking for both'),
    'breaking for clients': count('breaking for clients'),
    'breaking for servers': count('breaking for servers'),
    undecided: count('undecided'),
    compatible: count('compatible'),
  }
}

/** Returns the reason of a change, and why the project accepts it. */
export function reasonText({ reason, accepted }: ReviewedChange): string {
  return accepted === undefined ? reason : `${reason} [accepted: ${accepted}]`
}

/** Formats a summary: `3 changes: 1 breaking for clients, 2 compatible; 1 accepted`. */
export function summaryText(changes: readonly ReviewedChange[]): string {
  const counts = countByClass(changes)
  const parts = changeClasses.flatMap((name) => (counts[name] > 0 ? `${counts[name]} ${name}` : []))
  const accepted = changes.filter((change) => change.accepted !== undefined).length
  const end = accepted === 0 ? '' : `; ${accepted} accepted`
  return `${changes.length} ${changes.length === 1 ? 'change' : 'changes'}: ${parts.join(', ')}${end}`
}

/** States the version that follows from changes, or undefined if no change needs one. */
export function versionText(old: string, next: string, changes: readonly Change[]): string | undefined {
  const bump = versionBump(changes)
  if (bump === 'none') return undefined
  const needed = bumpedVersion(old, bump)
  if (needed === undefined) return `version: a ${bump} bump`
  const isTooLow = isLowerVersion(next, needed)
  return `version: a ${bump} bump, ${needed} or later${isTooLow ? `; ${next} is too low` : ''}`
}

/** Maximum number of methods that are listed by name. */
const namedMethods = 3

/** Lists the methods that a shared change affects: `results of getPet, listPets and 4 more`. */
export function usersText({ methods = [], usedIn = [] }: Change, shown: (name: string) => string): string {
  const [last, ...rest] = [...methods].reverse()
  if (last === undefined) return ''
  const kept = methods.length > namedMethods + 1 ? methods.slice(0, namedMethods) : rest.reverse()
  const more = methods.length - kept.length
  const end = more > 1 ? `${more} more` : shown(last)
  const names = kept.length === 0 ? end : `${kept.map(shown).join(', ')} and ${end}`
  return usedIn.length === 0 ? names : `${usedIn.join(' and ')} of ${names}`
}
