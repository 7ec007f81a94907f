import { type Contract, documentOf, joinPointer, pointerTokens } from '../../contract/index.js'
import { contractFile } from '../contract-message.js'
import { githubLines } from '../report/github.js'
import type { ReportFormat, ReportItem } from '../report/report-item.js'
import { sarifText } from '../report/sarif.js'
import { classOf } from './diff-class.js'
import { diffJson } from './diff-json.js'
import { diffMarkdown } from './diff-markdown.js'
import type { DiffReport } from './diff-report.js'
import { diffText } from './diff-text.js'

/** Formats changes in an output format. */
export const diffFormats: Readonly<Record<ReportFormat, (report: DiffReport) => readonly string[]>> = {
  text: diffText,
  json: (report) => [diffJson(report)],
  markdown: diffMarkdown,
  sarif: (report) => [sarifText(itemsOf(report), { version: report.version, rules: new Map() })],
  github: (report) => githubLines(itemsOf(report).filter(({ level }) => level !== 'note')),
}

function itemsOf({ next, changes, isFailure }: DiffReport): readonly ReportItem[] {
  return changes.map((change) => {
    const place = change.new?.pointer ?? placeIn(next.contract, change.pointer)
    const isBreaking = change.breaks.length > 0
    return {
      level: isFailure(change) ? 'error' : isBreaking ? 'warning' : 'note',
      rule: change.kind,
      title: classOf(change),
      file: contractFile(next.file, documentOf(place)),
      ...next.find(place),
      pointer: change.pointer,
      message: change.reason,
      accepted: change.accepted,
    }
  })
}

/** Returns the pointer of a place that names its method. If the method is gone, the list of methods. */
function placeIn({ methods }: Contract, place: string): string {
  const [root, name, ...rest] = pointerTokens(place) ?? []
  if (root !== 'methods' || name === undefined) return place
  const method = methods.find((known) => known.name === name)
  return method ? joinPointer(method.pointer, ...rest) : '#/methods'
}
