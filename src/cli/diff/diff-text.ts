import type { Change } from '../../contract/index.js'
import { printable } from '../printable.js'
import { changeClasses, classOf, countByClass, usersText } from './diff-class.js'

/** Maximum width of the pointer column. Longer pointers do not widen it. */
const widestPointer = 64

/** Formats changes for a terminal, one line each with class, place and reason, and a summary. */
export function diffText(changes: readonly Change[]): readonly string[] {
  if (changes.length === 0) return ['no changes: the documents are equivalent']
  const rows = changes.map((change) => ({
    name: classOf(change),
    pointer: printable(change.pointer),
    reason: printable(change.reason),
    users: change.breaks.length === 0 ? '' : usersText(change, printable),
  }))
  const classWidth = Math.max(...rows.map(({ name }) => name.length))
  const fitting = rows.map(({ pointer }) => pointer.length).filter((width) => width <= widestPointer)
  const pointerWidth = Math.max(0, ...fitting)
  return [
    ...rows.map(({ name, pointer, reason, users }) => {
      const end = users === '' ? '' : ` (${users})`
      return `${name.padEnd(classWidth)}   ${pointer.padEnd(pointerWidth)}   ${reason}${end}`
    }),
    '',
    summaryText(changes),
  ]
}

/** Formats a summary: `3 changes: 1 breaking for clients, 2 compatible`. */
export function summaryText(changes: readonly Change[]): string {
  const counts = countByClass(changes)
  const parts = changeClasses.flatMap((name) => (counts[name] > 0 ? `${counts[name]} ${name}` : []))
  return `${changes.length} ${changes.length === 1 ? 'change' : 'changes'}: ${parts.join(', ')}`
}
