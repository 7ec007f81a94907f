import { relative, resolve } from 'node:path'
import { parseArgs } from 'node:util'
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
import { defaultDocument, defaultDocumentWords } from '../default-document.js'
import { type CommandIo, UsageError } from '../io.js'
import { printable, printableJson } from '../printable.js'
import { type Exception, folderOf, isExcepted, lintConfigName, readLintConfig } from './lint-config.js'
import {
  coverageProblems,
  coverageRules,
  type LintedScenarios,
  readLintedScenarios,
} from './lint-coverage.js'

const help = `Usage: concordat lint [DOC] [--config FILE] [--scenarios DIR] [--allow-remote] [--json]

Tells what is wrong with an OpenRPC document, or could be better: each problem with its rule, its place and what to do.

  DOC             the document, JSON or YAML; a folder with one; or - for standard input
                  (default: ${defaultDocumentWords})
  --config FILE   exceptions: a list "off" of {rule, at?, reason} (default: ${lintConfigName} beside DOC,
                  where there is one); "at" is a JSON pointer, and stands for what is inside it, too
  --scenarios DIR the scenarios of "concordat conform" for it: each mandatory rule of "x-rules" must have a case, each
                  case name a rule that there is (default: conformance beside DOC, where there is one)
  --allow-remote  fetch the http and https documents that references name
  --rules         list the rules and what each asks for
  --json          one JSON document for programs: { schema: "concordat-lint/1", document, problems, excepted,
                  idleExceptions }, each problem with { rule, severity, file, line, column, pointer, message }
  --help          this text

Exit codes: 0 no errors (warnings are told), 1 errors, 2 could not run.`

/**
 * `concordat lint`: what is wrong with a contract.
 * @returns 0, or 1 where there is an error
 * @throws UsageError where arguments, document or configuration cannot be used
 */
export async function lintCommand(args: readonly string[], io: CommandIo): Promise<number> {
  const { values, positionals } = parseArguments(args)
  if (values.help) {
    io.out(help)
    return 0
  }
  if (values.rules) {
    for (const line of rulesTable()) io.out(line)
    return 0
  }
  const given = positionals[0] ?? (await defaultDocument())
  const source = given === '-' ? given : await usable(given, () => documentPath(given))
  const exceptions = await readLintConfig(values.config, source)
  const base = await folderOf(source)
  const scenarios = await readLintedScenarios(values.scenarios, base)
  const all = await findings(source, values['allow-remote'] === true, scenarios, base)
  const told = all.filter((finding) => !exceptions.some((exception) => isExcepted(finding, exception)))
  const idle = exceptions.filter((exception) => !all.some((finding) => isExcepted(finding, exception)))
  if (values.json)
    io.out(printableJson(JSON.stringify(report(source, told, all.length - told.length, idle), null, 2)))
  else tell(io, source, told, all.length - told.length, idle)
  return told.some(({ severity }) => severity === 'error') ? 1 : 0
}

function parseArguments(args: readonly string[]) {
  try {
    const parsed = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        config: { type: 'string' },
        scenarios: { type: 'string' },
        'allow-remote': { type: 'boolean' },
        rules: { type: 'boolean' },
        json: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    })
    const [first, second] = parsed.positionals
    if (second !== undefined) throw new UsageError(`one document at a time: "${first}" or "${second}"?`)
    if (first === '') throw new UsageError('the name of the document is empty')
    return parsed
  } catch (cause) {
    if (cause instanceof UsageError) throw cause
    const message = cause instanceof Error ? cause.message : String(cause)
    throw new UsageError(`${(message.split(/\.\s/)[0] ?? message).replace(/\.$/, '')}; --help explains`, {
      cause,
    })
  }
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

/** What stops the document from being read is told in a line. */
async function usable<Value>(source: string, work: () => Promise<Value>): Promise<Value> {
  try {
    return await work()
  } catch (cause) {
    if (!(cause instanceof ContractError)) throw cause
    throw new UsageError(await contractMessage(source === '-' ? source : shown(source), cause), { cause })
  }
}

function tell(
  io: CommandIo,
  source: string,
  told: readonly LintFinding[],
  excepted: number,
  idle: readonly Exception[],
): void {
  for (const finding of told) {
    const { line, column, severity, rule, pointer, message } = finding
    const place = `${fileOf(source, finding)}:${line}:${column}`
    io.out(printable(`${place}  ${severity.padEnd(7)}  ${rule}  ${pointer}`.trimEnd()))
    io.out(`    ${printable(message)}`)
  }
  for (const { rule, at } of idle) {
    io.err(
      printable(
        `concordat lint: the exception for ${rule}${at === undefined ? '' : ` at ${at}`} excepts nothing: remove it`,
      ),
    )
  }
  const errors = told.filter(({ severity }) => severity === 'error').length
  const off = excepted === 0 ? '' : `; ${excepted} excepted`
  if (told.length === 0) io.out(`${shown(source)}: no problems${off}`)
  else io.out(`${counted(told.length, 'problem')} (${counted(errors, 'error')})${ofEachRule(told)}${off}`)
}

/** Problems up to which nobody needs them counted by rule. */
const fewProblems = 10

/** Where there are many problems: which rules they go against, the most frequent first. */
function ofEachRule(told: readonly LintFinding[]): string {
  if (told.length <= fewProblems) return ''
  const counts = new Map<string, number>()
  for (const { rule } of told) counts.set(rule, (counts.get(rule) ?? 0) + 1)
  const parts = [...counts].sort((one, other) => other[1] - one[1]).map(([rule, count]) => `${count} ${rule}`)
  return `: ${parts.join(', ')}`
}

function counted(number: number, word: string): string {
  return `${number} ${word}${number === 1 ? '' : 's'}`
}

function report(source: string, told: readonly LintFinding[], excepted: number, idle: readonly Exception[]) {
  return {
    schema: 'concordat-lint/1',
    document: shown(source),
    problems: told.map((finding) => ({ ...finding, file: fileOf(source, finding) })),
    excepted,
    idleExceptions: idle,
  }
}

/** A file of the contract as the person who typed the command would name it. */
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
