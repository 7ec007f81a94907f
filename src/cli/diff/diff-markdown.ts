import { code, escaped, markdownLines } from '../report/markdown.js'
import type { ReviewedChange } from './accepted-changes.js'
import { changeClasses, classOf, reasonText, summaryText, usersText, versionText } from './diff-class.js'
import type { DiffReport } from './diff-report.js'

const headings: Readonly<Record<(typeof changeClasses)[number], string>> = {
  'breaking for both': 'Breaking for clients and servers',
  'breaking for clients': 'Breaking for clients',
  'breaking for servers': 'Breaking for servers',
  compatible: 'Compatible',
}

/** Formats changes as a section of a changelog: a heading for each class with a list. */
export function diffMarkdown({ old, next, changes }: DiffReport): readonly string[] {
  const [before, after] = [old.contract.version, next.contract.version]
  const title = `${next.contract.title} ${before === after ? after : `${before} → ${after}`}`
  if (changes.length === 0) return markdownLines(title, [], 'No changes.')
  const sections = changeClasses.map((name) => ({
    heading: headings[name],
    items: changes.filter((change) => classOf(change) === name).map(item),
  }))
  const version = versionText(before, after, changes)
  const end = version === undefined ? '' : ` ${escaped(version.replace('version', 'Version'))}.`
  return markdownLines(title, sections, `${summaryText(changes)}.${end}`)
}

function item(change: ReviewedChange): string {
  const users = usersText(change, code)
  return `${code(change.pointer)}: ${escaped(reasonText(change))}${users === '' ? '' : ` (${users})`}`
}
