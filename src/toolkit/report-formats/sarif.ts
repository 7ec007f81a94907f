import { isAbsolute } from 'node:path'
import { pathToFileURL } from 'node:url'
import { printableJson } from '../text/index.js'
import type { ReportItem } from './report-item.js'

/** The tool that found the items, and what its rules mean. */
export interface SarifTool {
  readonly version: string
  /** Descriptions of rules by name. */
  readonly rules: ReadonlyMap<string, string>
}

/** Formats items as a log of the Static Analysis Results Interchange Format (SARIF 2.1.0). */
export function sarifText(items: readonly ReportItem[], { version, rules }: SarifTool): string {
  const used = [...new Set(items.map(({ rule }) => rule))].sort()
  const log = sarifLog({
    version,
    rules: used.map((id) => ({ id, shortDescription: { text: rules.get(id) ?? id } })),
    results: items.map((item) => ({
      ruleId: item.rule,
      ruleIndex: used.indexOf(item.rule),
      level: item.level,
      message: { text: item.message },
      locations: [
        {
          ...sarifPlace(item.file, { startLine: item.line, startColumn: item.column }),
          logicalLocations: [{ fullyQualifiedName: item.pointer }],
        },
      ],
      ...(item.accepted !== undefined && {
        suppressions: [{ kind: 'external', justification: item.accepted }],
      }),
    })),
  })
  return printableJson(JSON.stringify(log, null, 2))
}

/** Returns a log with one run (SARIF 2.1.0, sections 3.13 and 3.14). `more` are other members of the run. */
export function sarifLog({
  version,
  rules,
  results,
  more = {},
}: {
  readonly version: string
  readonly rules: readonly object[]
  readonly results: readonly object[]
  readonly more?: object
}): object {
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'concordat', version, rules } },
        columnKind: 'utf16CodeUnits',
        ...more,
        results,
      },
    ],
  }
}

/** Returns a place in a file as a member of a location. */
export function sarifPlace(
  file: string,
  region: { readonly startLine: number; readonly startColumn?: number },
): object {
  return { physicalLocation: { artifactLocation: { uri: uriOf(file) }, region } }
}

/** Returns a file name as a URI reference (SARIF 2.1.0, section 3.4.3). */
function uriOf(file: string): string {
  if (file.includes('://')) return file.replaceAll('•', '*')
  if (isAbsolute(file)) return pathToFileURL(file).href
  return file.split('/').map(encodeURIComponent).join('/')
}
