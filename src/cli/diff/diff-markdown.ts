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

/** Formats changes as a section of a changelog: a heading for each class with a list. */
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

/** Formats text as a code span. The fence is longer than any run of backticks inside (CommonMark 6.1). */
function code(text: string): string {
  const content = printable(text)
  const runs = content.match(/`+/g) ?? []
  const fence = '`'.repeat(runs.reduce((longest, run) => Math.max(longest, run.length), 0) + 1)
  const space = /^`|`$|^ .* $/.test(content) || content === '' ? ' ' : ''
  return `${fence}${space}${content}${space}${fence}`
}

/** Escapes text so that Markdown shows it verbatim: no emphasis, link, HTML, mention or URL. */
function escaped(text: string): string {
  return printable(text)
    .replaceAll(/[\\`*_[\]<>#|~&]/g, '\\$&')
    .replaceAll('@', '&#64;')
    .replaceAll('://', '&#58;//')
    .replaceAll(/www\./gi, (start) => start.replace('.', '&#46;'))
}
