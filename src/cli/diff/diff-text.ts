import { printable } from '../printable.js'
import { classOf, reasonText, summaryText, usersText, versionText } from './diff-class.js'
import type { DiffReport } from './diff-report.js'

/** Maximum width of the pointer column. Longer pointers do not widen it. */
const widestPointer = 64

/** Formats changes for a terminal, one line each with class, place and reason, and a summary. */
export function diffText({ old, next, changes }: DiffReport): readonly string[] {
  if (changes.length === 0) return ['no changes: the documents are equivalent']
  const version = versionText(old.contract.version, next.contract.version, changes)
  const rows = changes.map((change) => ({
    name: classOf(change),
    pointer: printable(change.pointer),
    reason: printable(reasonText(change)),
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
    ...(version === undefined ? [] : [printable(version)]),
  ]
}
