import type { Change, Contract } from '../../contract/index.js'
import { printable } from '../printable.js'
import { changeClasses, classOf, usersText } from './diff-class.js'
import { summaryText } from './diff-text.js'

const headings: Readonly<Record<(typeof changeClasses)[number], string>> = {
  'breaking for both': 'Breaking for clients and servers',
  'breaking for clients': 'Breaking for clients',
  'breaking for servers': 'Breaking for servers',
  compatible: 'Compatible',
}

/** Changes as a section of a changelog: a heading for each class, a list below it. */
export function diffMarkdown(old: Contract, next: Contract, changes: readonly Change[]): readonly string[] {
  const versions = old.version === next.version ? next.version : `${old.version} → ${next.version}`
  const lines = [`## ${escaped(next.title)} ${escaped(versions)}`, '']
  if (changes.length === 0) return [...lines, 'No changes.']
  for (const name of changeClasses) {
    const own = changes.filter((change) => classOf(change) === name)
    if (own.length > 0) lines.push(`### ${headings[name]}`, '', ...own.map(item), '')
  }
  return [...lines, `${summaryText(changes)}.`]
}

function item(change: Change): string {
  const users = usersText(change, code)
  return `- ${code(change.pointer)}: ${escaped(change.reason)}${users === '' ? '' : ` (${users})`}`
}

/** Text as a code span: the fence is longer than any run of backticks inside (CommonMark 6.1). */
function code(text: string): string {
  const content = printable(text)
  const runs = content.match(/`+/g) ?? []
  const fence = '`'.repeat(runs.reduce((longest, run) => Math.max(longest, run.length), 0) + 1)
  const space = /^`|`$|^ .* $/.test(content) || content === '' ? ' ' : ''
  return `${fence}${space}${content}${space}${fence}`
}

/** Text that Markdown shows as it is: no emphasis, link, HTML, mention or bare address. */
function escaped(text: string): string {
  return printable(text)
    .replaceAll(/[\\`*_[\]<>#|~&]/g, '\\$&')
    .replaceAll('@', '&#64;')
    .replaceAll('://', '&#58;//')
    .replaceAll(/www\./gi, (start) => start.replace('.', '&#46;'))
}
