import { printable } from '../text/index.js'
import type { ReportItem } from './report-item.js'

const commands = { error: 'error', warning: 'warning', note: 'notice' } as const

/** Formats items as workflow commands, which GitHub shows as annotations of a pull request. */
export function githubLines(items: readonly ReportItem[]): readonly string[] {
  return items
    .filter(({ accepted }) => accepted === undefined)
    .map(({ level, file, line, column, title, rule, pointer, message }) => {
      const properties = { file, line, col: column, title: `${title}: ${rule}` }
      return githubCommand(commands[level], properties, [pointer === '' ? message : `${pointer}: ${message}`])
    })
}

/**
 * Formats a workflow command, in which texts cannot end the command or begin another.
 * @param properties `file`, `line`, `col` and `title`; undefined ones are omitted
 * @param lines the lines of the message
 */
export function githubCommand(
  command: 'error' | 'warning' | 'notice',
  properties: Readonly<Record<string, string | number | undefined>>,
  lines: readonly string[],
): string {
  const list = Object.entries(properties).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${property(String(value))}`],
  )
  return `::${command}${list.length === 0 ? '' : ` ${list.join(',')}`}::${lines.map(data).join('%0A')}`
}

/** Escapes a line of a message. Line ends within it become visible escapes. */
function data(text: string): string {
  return printable(text.replaceAll('%', '%25'))
}

function property(text: string): string {
  return data(text).replaceAll(':', '%3A').replaceAll(',', '%2C')
}
