import { relative, resolve } from 'node:path'
import { generate } from '../../codegen/index.js'
import {
  ContractError,
  documentPath,
  type LintFinding,
  lintContract,
  lintRules,
} from '../../contract/index.js'
import { patternProblems } from '../../values/index.js'
import { contractFile, contractMessage } from '../contract-message.js'
import { defaultDocumentWords, documentOf, folderOf } from '../document-argument.js'
import { type CommandIo, parseOptions, UsageError } from '../io.js'
import { printable, printableJson } from '../printable.js'
import { type Exception, isExcepted, lintConfigName, readLintConfig } from './lint-config.js'
import {
  coverageProblems,
  coverageRules,
  type LintedScenarios,
  readLintedScenarios,
} from './lint-coverage.js'

const help = `Usage: concordat lint [DOC] [--config FILE] [--scenarios DIR] [--allow-remote] [--json]

Reports problems in an OpenRPC document, each with its rule, its place and how to fix it.

  DOC             the document: JSON or YAML, a folder with one, or - for standard input
                  (default: ${defaultDocumentWords})

  --config FILE   exceptions: a list "off" of {rule, at?, reason} (default: ${lintConfigName} next to DOC, if it
                  exists); "at" is a JSON pointer and includes everything inside it
  --scenarios DIR the scenarios of the document: each mandatory rule of "x-rules" must have a case, and cases may only
                  refer to existing rules (default: conformance next to DOC, if it exists)
  --allow-remote  fetch the http and https documents that references name
  --rules         list all rules with their requirements
  --json          print one JSON document: { schema: "concordat-lint/1", document, problems, excepted,
                  idleExceptions }, each problem with { rule, severity, file, line, column, pointer, message }
  --help          show this help

Exit codes: 0 no errors (warnings are allowed), 1 errors, 2 could not run.`

const options = {
  config: { type: 'string' },
  scenarios: { type: 'string' },
  'allow-remote': { type: 'boolean' },
  rules: { type: 'boolean' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const

/**
 * Runs `concordat lint`, which checks a contract.
 * @param args the arguments after the command name
 * @param io output and environment
 * @returns 0, or 1 if there are errors
 * @throws UsageError when arguments, document or configuration are invalid
 */
export async function lintCommand(args: readonly string[], io: CommandIo): Promise<number> {
  const { values, positionals } = parseOptions(args, { options, allowPositionals: true })
  if (values.help) {
    io.out(help)
    return 0
  }
  if (values.rules) {
    for (const line of rulesTable()) io.out(line)
    return 0
  }
  const given = await documentOf(positionals)
  const source = given === '-' ? given : await usable(given, () => documentPath(given))
  const exceptions = await readLintConfig(values.config, source)
  const base = await folderOf(source)
  const scenarios = await readLintedScenarios(values.scenarios, base)
  const all = await findings(source, values['allow-remote'] === true, scenarios, base)
  const reported = all.filter((finding) => !exceptions.some((exception) => isExcepted(finding, exception)))
  const idle = exceptions.filter((exception) => !all.some((finding) => isExcepted(finding, exception)))
  const excepted = all.length - reported.length
  if (values.json) io.out(printableJson(JSON.stringify(report(source, reported, excepted, idle), null, 2)))
  else print(io, source, reported, excepted, idle)
  return reported.some(({ severity }) => severity === 'error') ? 1 : 0
}

async function findings(
  source: string,
  allowRemote: boolean,
  scenarios: LintedScenarios | undefined,
  base: string,
): Promise<readonly LintFinding[]> {
  let ofFiles: readonly LintFinding[] = []
  const ofContract = await usable(source, () =>
    lintContract(source, {
      allowRemote,
      generate: ({ contract }) => generate(contract, { name: 'concordat', version: '0.0.0' }).leftOut,
      more: ({ contract }) => {
        const ofPatterns = patternProblems(contract)
        if (scenarios === undefined) return ofPatterns
        const problems = coverageProblems(contract, scenarios, base)
        ofFiles = problems.ofFiles
        return [...ofPatterns, ...problems.ofContract]
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
    throw new UsageError(await contractMessage(source === '-' ? source : shown(source), cause), { cause })
  }
}

function print(
  io: CommandIo,
  source: string,
  reported: readonly LintFinding[],
  excepted: number,
  idle: readonly Exception[],
): void {
  for (const finding of reported) {
    const { line, column, severity, rule, pointer, message } = finding
    const place = `${fileOf(source, finding)}:${line}:${column}`
    io.out(printable(`${place}  ${severity.padEnd(7)}  ${rule}  ${pointer}`.trimEnd()))
    io.out(`    ${printable(message)}`)
  }
  for (const { rule, at } of idle) {
    io.err(
      printable(
        `concordat lint: the exception for ${rule}${at === undefined ? '' : ` at ${at}`} matches no problem: remove it`,
      ),
    )
  }
  const errors = reported.filter(({ severity }) => severity === 'error').length
  const off = excepted === 0 ? '' : `; ${excepted} excepted`
  if (reported.length === 0) io.out(`${shown(source)}: no problems${off}`)
  else
    io.out(
      `${counted(reported.length, 'problem')} (${counted(errors, 'error')})${countsByRule(reported)}${off}`,
    )
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

function counted(number: number, word: string): string {
  return `${number} ${word}${number === 1 ? '' : 's'}`
}

function report(
  source: string,
  reported: readonly LintFinding[],
  excepted: number,
  idle: readonly Exception[],
) {
  return {
    schema: 'concordat-lint/1',
    document: shown(source),
    problems: reported.map((finding) => ({ ...finding, file: fileOf(source, finding) })),
    excepted,
    idleExceptions: idle,
  }
}

/** Returns the path of a contract file, relative to the current folder like the command's argument. */
function fileOf(source: string, { file }: LintFinding): string {
  return contractFile(shown(source), file)
}

function rulesTable(): readonly string[] {
  const rules = [...lintRules, ...coverageRules]
  const width = Math.max(...rules.map(({ name }) => name.length))
  return rules.map(
    ({ name, severity, summary }) => `${name.padEnd(width)}  ${severity.padEnd(7)}  ${summary}`,
  )
}

function shown(path: string): string {
  if (path === '-') return 'standard input'
  if (/^https?:/i.test(path)) return path
  const short = relative(process.cwd(), resolve(path))
  return short === '' ? '.' : short.startsWith('..') ? path : short
}
