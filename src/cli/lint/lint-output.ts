import { numbered } from '../../judge/report/index.js'
import type { LintFinding } from '../../toolkit/lint/index.js'
import {
  code,
  escaped,
  githubLines,
  markdownLines,
  type ReportItem,
  sarifText,
} from '../../toolkit/report-formats/index.js'
import { printable, printableJson } from '../../toolkit/text/index.js'
import { contractFile } from '../contract-message.js'
import type { OutputFormat } from '../format-option.js'
import type { JudgedFindings, ListedRule } from './project-rules.js'

/** The result of one run. */
export interface LintReport extends JudgedFindings {
  /** The document as the user gave it, for messages. */
  readonly document: string
  /** All rules of the run. */
  readonly rules: readonly ListedRule[]
  readonly version: string
}

const severities = ['error', 'warning', 'hint'] as const
const headings = { error: 'Errors', warning: 'Warnings', hint: 'Hints' } as const

/** Formats problems in an output format. */
export const lintFormats: Readonly<Record<OutputFormat, (report: LintReport) => readonly string[]>> = {
  text: textLines,
  json: (report) => [printableJson(JSON.stringify(jsonReport(report), null, 2))],
  markdown: markdown,
  sarif: (report) => {
    const rules = new Map(report.rules.map(({ name, summary }) => [name, summary]))
    return [sarifText(itemsOf(report), { version: report.version, rules })]
  },
  github: (report) => githubLines(itemsOf(report)),
}

function textLines(report: LintReport): readonly string[] {
  const lines = report.reported.flatMap((finding) => {
    const { line, column, severity, rule, pointer, message } = finding
    const place = `${fileOf(report, finding)}:${line}:${column}`
    return [
      printable(`${place}  ${severity.padEnd(7)}  ${rule}  ${pointer}`.trimEnd()),
      `    ${printable(message)}`,
    ]
  })
  return [...lines, printable(summary(report))]
}

function summary({ reported, excepted, document }: LintReport): string {
  const off = excepted === 0 ? '' : `; ${excepted} excepted`
  if (reported.length === 0) return `${document}: no problems${off}`
  const errors = reported.filter(({ severity }) => severity === 'error').length
  return `${numbered(reported.length, 'problem')} (${numbered(errors, 'error')})${countsByRule(reported)}${off}`
}

/** Number of problems above which they are counted by rule. */
const fewProblems = 10

/** Counts the problems by rule, the most frequent first. Returns an empty text for few problems. */
function countsByRule(reported: readonly LintFinding[]): string {
  if (reported.length <= fewProblems) return ''
  const counts = new Map<string, number>()
  for (const { rule } of reported) counts.set(rule, (counts.get(rule) ?? 0) + 1)
  const parts = [...counts].sort((a, b) => b[1] - a[1]).map(([rule, count]) => `${count} ${rule}`)
  return `: ${parts.join(', ')}`
}

function jsonReport(report: LintReport) {
  return {
    schema: 'concordat-lint/1',
    document: report.document,
    problems: report.reported.map(({ fix, ...finding }) => ({
      ...finding,
      file: fileOf(report, finding),
      ...(fix && { fixable: true }),
    })),
    excepted: report.excepted,
    idleExceptions: report.idle,
  }
}

function markdown(report: LintReport): readonly string[] {
  const sections = severities.map((severity) => ({
    heading: headings[severity],
    items: report.reported
      .filter((finding) => finding.severity === severity)
      .map((finding) => {
        const place = `${fileOf(report, finding)}:${finding.line}:${finding.column}`
        return `${code(place)} ${code(finding.rule)}: ${escaped(finding.message)}`
      }),
  }))
  return markdownLines(report.document, sections, `${escaped(summary(report))}.`)
}

function itemsOf(report: LintReport): readonly ReportItem[] {
  return report.reported.map((finding) => ({
    ...finding,
    file: fileOf(report, finding),
    title: finding.severity,
    level: finding.severity === 'hint' ? 'note' : finding.severity,
  }))
}

/** Returns the path of a contract file, relative to the current folder like the command's argument. */
function fileOf({ document }: LintReport, { file }: LintFinding): string {
  return contractFile(document, file)
}
