import { printable } from '../printable.js'
import type { ReportItem } from './report-item.js'

const commands = { error: 'error', warning: 'warning', note: 'notice' } as const

/** Formats items as workflow commands, which GitHub shows as annotations of a pull request. */
export function githubLines(items: readonly ReportItem[]): readonly string[] {
  return items
    .filter(({ accepted }) => accepted === undefined)
    .map(({ level, file, line, column, title, rule, pointer, message }) => {
      const place = `file=${property(file)},line=${line},col=${column},title=${property(`${title}: ${rule}`)}`
      return `::${commands[level]} ${place}::${data(pointer === '' ? message : `${pointer}: ${message}`)}`
    })
}

function data(text: string): string {
  return printable(text.replaceAll('%', '%25'))
}

function property(text: string): string {
  return data(text).replaceAll(':', '%3A').replaceAll(',', '%2C')
}
