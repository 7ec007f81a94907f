import { access, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { stringify } from 'yaml'
import { contractTerms } from '../../judge/index.js'
import { type CaseResult, ReportError, readReport } from '../../judge/report/index.js'
import { isObject, member, parseJson } from '../../toolkit/contract/index.js'
import { conformCommand } from '../conform/conform.js'
import { argumentRedactor } from '../conform/conform-setup.js'
import { loadSuite } from '../conform/conform-suite.js'
import { defineCommand, type InvocationOf, oneOf, type Program, text, ValueError } from '../define-command.js'
import { contractOption } from '../document-argument.js'
import { type Command, UsageError } from '../io.js'
import {
  type CaseDraft,
  callIn,
  caseDocument,
  contradiction,
  type DraftContract,
  escapedText,
  expectationOf,
} from './case-draft.js'

/** The form of a case's id. */
const caseId = /^[a-z0-9]+(-[a-z0-9]+)*\/[a-z0-9]+(-[a-z0-9]+)*$/

const define = (program: Program) =>
  program
    .usage('new GROUP/NAME --from REPORT.json#ID [URL] [options]')
    .argument('<ACTION>', 'new', oneOf('new'))
    .argument('<GROUP/NAME>', 'the id of the new case, which is also its path', readId)
    .argument('[URL]', 'run the new case against this service')
    .requiredOption('--from <REPORT.json#ID>', 'the report and the id of a case in it')
    .option(
      '--expect <ANSWER>',
      `the expected answer: JSON, such as '"0x1"' or null, or 'error CODE' (default: the answer in the report, if the
      case passed)`,
    )
    .option(...contractOption)
    .option('--scenarios <DIR>', 'the folder of the case', text, 'cases')

const writeCase = defineCommand({
  name: 'case',
  description: `Writes a case file from a JSON report: the last request of a case with its sentence, its rule and the
answer. The call and the expectation are checked against the contract. An existing file is never overwritten.`,
  define,
  examples: [
    {
      says: 'keep the answer of a case that passed, and run the new case',
      line: 'concordat case new logs/none --from run.json#logs-filter/no-logs "$RPC_URL"',
    },
    {
      says: 'expect another answer',
      line: "concordat case new logs/none --from run.json#logs-filter/no-logs --expect '[]'",
    },
  ],
  notes: 'Exit codes: 0 written (and passed), 1 the case fails, 2 could not write or run it.',
  run: newCase,
})

/** Runs `concordat case new`, which writes a case file. Its errors contain no secrets. */
export const caseCommand: Command = async (args, io) => {
  try {
    return await writeCase(args, io)
  } catch (error) {
    if (error instanceof UsageError) throw new UsageError(argumentRedactor(args, io).redact(error.message))
    throw error
  }
}

function readId(id: string): string {
  if (caseId.test(id)) return id
  throw new ValueError('needs group/name in lower case with hyphens, such as books/missing')
}

async function newCase({ args: [, id, url], options, io }: InvocationOf<typeof define>): Promise<number> {
  const file = join(options.scenarios, `${id}.yaml`)
  if (await exists(file)) throw new UsageError(`${file} exists; choose another id`)
  const suite = await loadSuite({ document: options.contract })
  const draft = drafted(await resultIn(options.from), options.expect, suite)
  await written(file, stringify(caseDocument(draft, suite), { lineWidth: 110 }))
  await checked(file, options)
  io.out(`wrote ${file}`)
  if (url === undefined) return 0
  if (suite.checks.effects.get(draft.method) === 'write') {
    io.err('concordat case: the method writes, so run the case with --allow write')
    return 0
  }
  const contractArgs = options.contract === undefined ? [] : ['--contract', options.contract]
  return await conformCommand([url, ...contractArgs, '--scenarios', options.scenarios, '--only', id], io)
}

/**
 * Returns the parts of a case from a result in a report.
 * @param given the value of `--expect`
 * @throws UsageError if the call or the expectation violates the contract, or if the report has no answer to expect
 */
function drafted(found: CaseResult, given: string | undefined, known: DraftContract): CaseDraft {
  const last = found.evidence.at(-1)
  const { method, params } = callIn(last?.request.body ?? '', found.id)
  if (!known.contract.methods.some(({ name }) => name === method)) {
    throw new UsageError(`the contract has no method "${method}"`)
  }
  const answer = given ?? (found.verdict === 'pass' ? answerIn(last?.response?.body) : undefined)
  if (answer === undefined) {
    throw new UsageError(
      `${found.id} did not pass, so its answer is not expected: give --expect. See --help.`,
    )
  }
  const expect = expectationOf(answer)
  if (expect === undefined) {
    throw new UsageError('--expect takes JSON, such as "0x1" or null, or error -32602')
  }
  const draft = { method, params: parseJson(escapedText(JSON.stringify(params))) ?? [], expect }
  const problem = contradiction(draft, known)
  if (problem !== undefined) throw new UsageError(problem)
  const rules = contractTerms(known.contract).rules.map(({ id }) => id)
  const rule = found.rules.find((id) => rules.includes(id)) ?? ''
  return { scenario: found.scenario, rule, ...draft }
}

/** Returns the recorded answer as an expectation in the form of `--expect`. */
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
