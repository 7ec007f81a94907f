import { access, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { stringify } from 'yaml'
import { type CaseResult, contractTerms, ReportError, readReport } from '../../conformance/index.js'
import { isObject, member, parseJson } from '../../contract/index.js'
import { conformCommand } from '../conform/conform.js'
import { argumentRedactor } from '../conform/conform-setup.js'
import { loadSuite } from '../conform/conform-suite.js'
import { documentWords } from '../document-argument.js'
import { type Command, type CommandIo, parseOptions, UsageError } from '../io.js'
import {
  type CaseDraft,
  callIn,
  caseDocument,
  contradiction,
  type DraftContract,
  escapedText,
  expectationOf,
  paramsProblem,
} from './case-draft.js'
import { createPrompter, type Prompter } from './prompter.js'

const help = `Usage: concordat case new [GROUP/NAME] [URL] [options]

Writes a case file with one call. Asks for what is not given: the sentence, the rule, the method, its parameters and
the expected answer, and checks them against the contract. An existing file is never overwritten.

  GROUP/NAME               the id of the case, which is also its path
  URL                      run the new case against this service

  --from REPORT.json#ID    take the last request of a case in a JSON report, and its answer if the case passed
  --contract DOC           another OpenRPC document (default: the package's own):
                           ${documentWords}
  --scenarios DIR          the folder of the case (default: cases)
  --help                   show this help

Exit codes: 0 written (and passed), 1 the case fails, 2 could not write or run it.`

const options = {
  from: { type: 'string' },
  contract: { type: 'string' },
  scenarios: { type: 'string', default: 'cases' },
  help: { type: 'boolean', short: 'h', default: false },
} as const

/** The form of a case's id. */
const caseId = /^[a-z0-9]+(-[a-z0-9]+)*\/[a-z0-9]+(-[a-z0-9]+)*$/

/**
 * Runs `concordat case new`, which writes a case file.
 * @param args the arguments after the command name
 * @param io output and environment; questions are answered on standard input
 * @returns 0 written, 1 written and failed, 2 could not run it
 * @throws UsageError, without secrets, when arguments are invalid or the file exists
 */
export const caseCommand: Command = async (args, io) => {
  try {
    return await newCase(args, io)
  } catch (error) {
    if (error instanceof UsageError) throw new UsageError(argumentRedactor(args, io).redact(error.message))
    throw error
  }
}

async function newCase(args: readonly string[], io: CommandIo): Promise<number> {
  const { values, positionals } = parseOptions(args, { options, allowPositionals: true })
  if (values.help) {
    io.out(help)
    return 0
  }
  const [what, ...given] = positionals
  if (what !== 'new') throw new UsageError('only `concordat case new` exists. See --help.')
  const url = given.find((argument) => argument.includes('://'))
  const [id, more] = given.filter((argument) => argument !== url)
  if (more !== undefined) throw new UsageError('more than one id or URL was given. See --help.')
  const wrongId = id === undefined ? undefined : idProblem(id)
  if (wrongId !== undefined) throw new UsageError(wrongId)
  const { contract, checks } = await loadSuite({ document: values.contract })
  const found = values.from === undefined ? undefined : await resultIn(values.from)
  const prompter = createPrompter(process.stdin, io.out)
  try {
    const name =
      id ?? (await prompter.ask({ text: 'Id of the case, such as books/missing', problem: idProblem }))
    const file = join(values.scenarios, `${name}.yaml`)
    if (await exists(file)) throw new UsageError(`${file} exists; choose another id`)
    const draft = await drafted(found, { contract, checks }, prompter)
    await written(file, stringify(caseDocument(draft, { contract, checks }), { lineWidth: 110 }))
    await checked(file, values)
    io.out(`wrote ${file}`)
    if (url === undefined) return 0
    const contractArgs = values.contract === undefined ? [] : ['--contract', values.contract]
    const writes = checks.effects.get(draft.method) === 'write'
    if (writes) io.err('concordat case: the method writes, so run the case with --allow write')
    if (writes) return 0
    return await conformCommand([url, ...contractArgs, '--scenarios', values.scenarios, '--only', name], io)
  } finally {
    prompter.close()
  }
}

function idProblem(id: string): string | undefined {
  return caseId.test(id) ? undefined : `"${id}" is no id: write group/name in lower case with hyphens`
}

/** Asks for the parts of a case. The result of a report gives initial answers. */
async function drafted(
  found: CaseResult | undefined,
  known: DraftContract,
  { ask }: Prompter,
): Promise<CaseDraft> {
  const last = found?.evidence.at(-1)
  const call = found === undefined || last === undefined ? undefined : callIn(last.request.body, found.id)
  const { contract } = known
  const rules = contractTerms(contract).rules.map(({ id }) => id)
  const methods = contract.methods.map(({ name }) => name)
  const scenario = await ask({
    text: 'What must the service do? One sentence',
    initial: found?.scenario,
    problem: (text) => (text === '' ? 'reports of a failure begin with this sentence' : undefined),
  })
  const rule = await ask({
    text: 'Rule of the contract, or - for none',
    initial: found?.rules[0] ?? '-',
    problem: (id) => (id === '-' || rules.includes(id) ? undefined : `the contract has no rule "${id}"`),
  })
  const method = await ask({
    text: 'Method',
    initial: call?.method,
    problem: (name) =>
      methods.includes(name)
        ? undefined
        : `the contract has no method "${name}"; it has ${methods.join(', ')}`,
  })
  const params = await ask({
    text: 'Parameters as JSON',
    initial: call === undefined ? '[]' : escapedText(JSON.stringify(call.params)),
    problem: paramsProblem,
  })
  const sent = { method, params: parseJson(params) ?? [] }
  const expected = await ask({
    text: 'Expected result as JSON (null means null), or error CODE',
    initial: found?.verdict === 'pass' ? answerIn(last?.response?.body) : undefined,
    problem: (text) => {
      const expect = expectationOf(text)
      return expect === undefined
        ? 'write JSON, such as "0x1" or null, or error -32602'
        : contradiction({ ...sent, expect }, known)
    },
  })
  return { scenario, rule: rule === '-' ? '' : rule, ...sent, expect: expectationOf(expected) ?? {} }
}

/** Returns the recorded answer as a proposal for the expectation. */
function answerIn(body: string | undefined): string | undefined {
  const answer = parseJson(body ?? '')
  if (!isObject(answer)) return undefined
  const [result, error] = [member(answer, 'result'), member(answer, 'error')]
  if (isObject(error)) return `error ${String(member(error, 'code'))}`
  return result === undefined ? undefined : escapedText(JSON.stringify(result))
}

/** Reads a case of `REPORT.json#ID`. */
async function resultIn(from: string): Promise<CaseResult> {
  const [, file, id] = /^(.+\.json)#(.+)$/.exec(from) ?? []
  if (file === undefined || id === undefined) throw new UsageError('--from needs REPORT.json#ID')
  const text = await readFile(file, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    throw new UsageError(`${file} cannot be read (${cause.code})`, { cause })
  })
  try {
    const found = readReport(text).cases.find((result) => result.id === id)
    if (found?.evidence.at(-1) !== undefined) return found
  } catch (cause) {
    if (!(cause instanceof ReportError)) throw cause
    throw new UsageError(`${file}: ${cause.message}`, { cause })
  }
  throw new UsageError(`${file} has no request of a case "${id}"`)
}

/** Writes a new file. */
async function written(file: string, text: string): Promise<void> {
  try {
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, text, { flag: 'wx' })
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    const why = code === 'EEXIST' ? 'exists; choose another id' : `cannot be written (${code})`
    throw new UsageError(`${file} ${why}`, { cause })
  }
}

async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  )
}

/** Loads the folder with the new case, and removes the file if the problem is in it. */
async function checked(
  file: string,
  { contract, scenarios }: { readonly contract?: string | undefined; readonly scenarios: string },
): Promise<void> {
  try {
    await loadSuite({ document: contract, folders: [scenarios] })
  } catch (error) {
    if (error instanceof UsageError && error.message.includes(file)) await rm(file)
    throw error
  }
}
