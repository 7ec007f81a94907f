import { join, relative, resolve } from 'node:path'
import { numbered } from '../../judge/report/index.js'
import type { ChosenNames } from '../../toolkit/codegen/index.js'
import { ContractError, isServiceUrl } from '../../toolkit/contract/index.js'
import { type LintFinding, type LintRule, lintContract } from '../../toolkit/lint/index.js'
import { tableLines } from '../../toolkit/report-formats/index.js'
import { printable } from '../../toolkit/text/index.js'
import { configName, withProjectNames } from '../config/project-config.js'
import { contractFile, contractMessage, shownSource } from '../contract-message.js'
import {
  defineCommand,
  type InvocationOf,
  type Program,
  refuseBeside,
  wholeNumber,
} from '../define-command.js'
import { allowRemoteOption, documentHelp, folderOf, projectDocument } from '../document-argument.js'
import { formatOption } from '../format-option.js'
import { UsageError } from '../io.js'
import { readToolVersions } from '../package-file.js'
import { coverageProblems, type LintedScenarios, readLintedScenarios } from './lint-coverage.js'
import { fixFindings } from './lint-fix.js'
import { type LintReport, lintFormats } from './lint-output.js'
import { type ListedRule, ownRules, projectRules, withSeverities } from './project-rules.js'

/** Options that say how a document is checked. */
const ofDocument = [
  '--config',
  '--scenarios',
  '--max-warnings',
  '--fix',
  '--format',
  '--json',
  '--allow-remote',
]

const define = (program: Program) =>
  program
    .argument('[DOC]', documentHelp)
    .option(
      '--config <FILE>',
      `the project's settings (default: the nearest ${configName} at or above DOC). Its member "lint" has severities by
      rule and place, each with a reason, and rules of the project`,
    )
    .option(
      '--scenarios <DIR>',
      `the scenarios of the document: each mandatory rule of "x-rules" must have a case, and cases may only refer to
      existing rules (default: conformance next to DOC, if it exists)`,
    )
    .option('--max-warnings <N>', 'exit with 1 if there are more than N warnings', wholeNumber(0))
    .option(
      '--fix',
      'correct problems whose correction is certain, such as repeated list items, and report the others',
    )
    .option(...formatOption)
    .option(
      '--json',
      `the same as --format json: { schema: "concordat-lint/1", document, problems, excepted, idleExceptions }, each
      problem with { rule, severity, file, line, column, pointer, message, fixable }`,
    )
    .option(...allowRemoteOption)
    .option('--rules', 'list all rules with their requirements')

/** Runs `concordat lint`, which checks a contract. */
export const lintCommand = defineCommand({
  name: 'lint',
  description: 'Reports problems in an OpenRPC document, each with its rule, its place and how to fix it.',
  define,
  examples: [
    { says: "the project's document", line: 'concordat lint' },
    { says: 'for code scanning', line: 'concordat lint openrpc.json --format sarif' },
  ],
  notes: 'Exit codes: 0 no errors (warnings are allowed), 1 errors or too many warnings, 2 could not run.',
  run: lint,
})

async function lint({ args: [named], options, given, io }: InvocationOf<typeof define>): Promise<number> {
  refuseBeside('--rules', ofDocument, given)
  refuseBeside('--json', ['--format'], given)
  if (options.rules) {
    for (const line of rulesTable()) io.out(line)
    return 0
  }
  const { format = options.json ? 'json' : 'text', allowRemote } = options
  const warn = (line: string) => io.err(printable(`concordat lint: ${line}`))
  const { source, config, isOwn } = await projectDocument(named, options)
  const mostWarnings = options.maxWarnings ?? config.lint?.maxWarnings
  const base = await folderOf(source)
  const configured = isOwn ? config.lint?.scenarios : undefined
  const folder = options.scenarios ?? (configured === undefined ? undefined : join(config.folder, configured))
  const hasScenarios = folder !== undefined || !isServiceUrl(source)
  const additional = await projectRules(config)
  const input: LintInput = {
    source,
    allowRemote,
    scenarios: hasScenarios ? await readLintedScenarios(folder, base) : undefined,
    base,
    rules: additional,
    names: isOwn ? config.generate?.names : undefined,
  }
  const rules = [...ownRules, ...additional]
  const judge = () =>
    withProjectNames(config, async () => withSeverities(await findings(input), config, rules))
  let judged = await judge()
  if (options.fix) {
    const fixed = await fixFindings(source, judged.reported)
    for (const finding of fixed) io.err(printable(`fixed ${fixedText(source, finding)}`))
    if (fixed.length > 0) judged = await judge()
  }
  const { version } = await readToolVersions()
  const report: LintReport = { ...judged, document: shown(source), rules, version }
  for (const line of lintFormats[format](report)) io.out(line)
  for (const { rule, at } of judged.idle) {
    warn(`the exception for ${rule}${at === undefined ? '' : ` at ${at}`} matches no problem: remove it`)
  }
  return exitCode(report, mostWarnings, warn)
}

function exitCode(
  { reported }: LintReport,
  mostWarnings: number | undefined,
  warn: (line: string) => void,
): number {
  const warnings = reported.filter(({ severity }) => severity === 'warning').length
  const areTooMany = mostWarnings !== undefined && warnings > mostWarnings
  if (areTooMany) warn(`${numbered(warnings, 'warning')}, ${mostWarnings} allowed`)
  return areTooMany || reported.some(({ severity }) => severity === 'error') ? 1 : 0
}

function fixedText(source: string, { file, line, column, rule, message }: LintFinding): string {
  return `${contractFile(shown(source), file)}:${line}:${column}  ${rule}: ${message}`
}

/** What one run checks. */
interface LintInput {
  readonly source: string
  readonly allowRemote: boolean
  readonly scenarios: LintedScenarios | undefined
  readonly base: string
  readonly rules: readonly LintRule[]
  readonly names: ChosenNames | undefined
}

async function findings(input: LintInput): Promise<readonly LintFinding[]> {
  const { source, allowRemote, scenarios, base, rules, names } = input
  let ofFiles: readonly LintFinding[] = []
  const ofContract = await usable(source, () =>
    lintContract(source, {
      allowRemote,
      rules,
      names,
      more: ({ contract }) => {
        if (scenarios === undefined) return []
        const problems = coverageProblems(contract, scenarios, base)
        ofFiles = problems.ofFiles
        return problems.ofContract
      },
    }),
  )
  return [...ofContract, ...ofFiles]
}

/** Converts errors of the document to usage errors. */
async function usable<Value>(source: string, work: () => Promise<Value>): Promise<Value> {
  try {
    return await work()
  } catch (cause) {
    if (!(cause instanceof ContractError)) throw cause
    const name = source === '-' || isServiceUrl(source) ? source : shown(source)
    throw new UsageError(await contractMessage(name, cause), { cause })
  }
}

function rulesTable(): readonly string[] {
  const rules: readonly ListedRule[] = ownRules
  return tableLines(rules.map(({ name, severity, summary }) => [name, severity, summary]))
}

function shown(source: string): string {
  if (source === '-' || isServiceUrl(source)) return shownSource(source)
  const short = relative(process.cwd(), resolve(source))
  return short === '' ? '.' : short.startsWith('..') ? source : short
}
