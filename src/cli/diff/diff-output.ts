import { type Contract, documentOf, joinPointer, pointerTokens } from '../../toolkit/contract/index.js'
import { bumpedVersion, versionBump } from '../../toolkit/diff/index.js'
import {
  code,
  escaped,
  githubLines,
  markdownLines,
  type ReportItem,
  sarifText,
  tableLines,
} from '../../toolkit/report-formats/index.js'
import { printable, printableJson } from '../../toolkit/text/index.js'
import { contractFile } from '../contract-message.js'
import type { OutputFormat } from '../format-option.js'
import type { ReviewedChange } from './accepted-changes.js'
import {
  changeClasses,
  classOf,
  countByClass,
  reasonText,
  summaryText,
  usersText,
  versionText,
} from './diff-class.js'
import type { DiffReport } from './diff-report.js'

/** Formats changes in an output format. */
export const diffFormats: Readonly<Record<OutputFormat, (report: DiffReport) => readonly string[]>> = {
  text: diffText,
  json: diffJson,
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

const headings: Readonly<Record<(typeof changeClasses)[number], string>> = {
  'breaking for both': 'Breaking for clients and servers',
  'breaking for clients': 'Breaking for clients',
  'breaking for servers': 'Breaking for servers',
  undecided: 'Undecided',
  compatible: 'Compatible',
}

/** Formats changes as a changelog section: one heading per class of change, each with a list. */
function diffMarkdown({ old, next, changes }: DiffReport): readonly string[] {
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

/** Maximum width of the pointer column. Longer pointers do not widen it. */
const widestPointer = 64

/** Formats changes for a terminal, one line each with class, place and reason, and a summary. */
function diffText({ old, next, changes }: DiffReport): readonly string[] {
  if (changes.length === 0) return ['no changes: the documents are equivalent']
  const version = versionText(old.contract.version, next.contract.version, changes)
  const rows = changes.map((change) => {
    const users = change.breaks.length === 0 ? '' : usersText(change, printable)
    const end = users === '' ? '' : ` (${users})`
    return [classOf(change), printable(change.pointer), `${printable(reasonText(change))}${end}`]
  })
  return [
    ...tableLines(rows, { gap: 3, widest: widestPointer }),
    '',
    summaryText(changes),
    ...(version === undefined ? [] : [printable(version)]),
  ]
}

/**
 * Version of the JSON output. Added members keep it; a member with a changed meaning requires the next
 * version.
 */
const form = 'concordat-diff/1'

/** Formats changes as JSON. `concordat diff --help` describes the members. */
function diffJson({ old: before, next: after, changes }: DiffReport): readonly string[] {
  const [old, next] = [before.contract, after.contract]
  const bump = versionBump(changes)
  const counts = countByClass(changes)
  const breaking = (party: 'clients' | 'servers') =>
    changes.filter(({ breaks }) => breaks.includes(party)).length
  const json = JSON.stringify(
    {
      schema: form,
      old: { title: old.title, version: old.version },
      new: { title: next.title, version: next.version },
      changes: changes.map(({ breaks, kind, pointer, reason, old: before, new: after, ...more }) => ({
        class: breaks.length === 0 ? ['compatible'] : breaks.map((party) => `breaking-for-${party}`),
        kind,
        pointer,
        ...(before && { old: before }),
        ...(after && { new: after }),
        reason,
        ...more,
      })),
      summary: {
        changes: changes.length,
        breakingForClients: breaking('clients'),
        breakingForServers: breaking('servers'),
        undecided: counts.undecided,
        compatible: counts.compatible,
        accepted: changes.filter(({ accepted }) => accepted !== undefined).length,
        bump,
        version: bumpedVersion(old.version, bump),
      },
    },
    null,
    2,
  )
  return [printableJson(json)]
}
