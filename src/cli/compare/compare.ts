import { inspect } from 'node:util'
import { chainFunctions } from '../../judge/functions/index.js'
import {
  AccessRefused,
  type ComparedRequest,
  type CompareReport,
  compareExitCode,
  compareLines,
  contractTerms,
  createRedactor,
  createSender,
  NotComparable,
  type Recording,
  type Redactor,
  runCompare,
  secretsOf,
  shellWord,
  type Target,
  Unreachable,
} from '../../judge/index.js'
import { sessionOf } from '../../toolkit/contract/index.js'
import { printable, printableIn, printableJson } from '../../toolkit/text/index.js'
import { stopOnSignal } from '../conform/conform-interrupt.js'
import { boundOptions, conformDefaults, membersOption, readHeader } from '../conform/conform-options.js'
import { checkWritable, createOutput, type Output } from '../conform/conform-output.js'
import { argumentRedactor, boundsOf, casesIn, targetOf } from '../conform/conform-setup.js'
import { loadSuite, type Suite } from '../conform/conform-suite.js'
import { assumedToRead, methodsMatching } from '../conform/method-patterns.js'
import { defineCommand, type InvocationOf, type Program, texts, ValueError } from '../define-command.js'
import { allowRemoteOption, contractOption, scenariosOption } from '../document-argument.js'
import { type Command, type CommandIo, UsageError } from '../io.js'
import { readReportFile } from '../read-report-file.js'

const define = (program: Program) =>
  boundOptions(
    program
      .argument(
        '<URL_A>',
        `a deployment with its key; the URL appears in no output. Or REPORT.json, the file of concordat conform
        --report json=REPORT.json, whose answers stand for the deployment; - for standard input`,
      )
      .argument('<URL_B>', 'the other one, or its report')
      .option(...contractOption)
      .option(...allowRemoteOption)
      .option(...scenariosOption)
      .option('--network <NAME>', 'the network of both deployments (default: read from the key suffixes)')
      .option(
        '--only <PATTERN>',
        `cases or rules by id; * matches any text (repeatable). Selected cases are compared even if the deployments serve
        different networks or have no common block`,
        texts,
        [],
      )
      .option(
        '--tolerate <PATTERN=AMOUNT>',
        `accept that numbers in results of matching methods differ by up to AMOUNT: 10, 0x10 or 10% (repeatable). Such a
        method is compared even if its result is volatile`,
        readTolerance,
        [],
      )
      .option(...membersOption),
  )
    .option('--header-a <NAME: VALUE>', 'header for URL_A alone (repeatable)', readHeader, {})
    .option('--header-b <NAME: VALUE>', 'header for URL_B alone (repeatable)', readHeader, {})
    .option(
      '--report <json=FILE>',
      'write a report for programs; - prints it instead of the text report',
      readReport,
    )
    .option('--require-complete', 'exit with 3 if a case is inconclusive or did not run', false)

const compareDeployments = defineCommand({
  name: 'compare',
  description: `Sends the same calls to two deployments of a contract and reports where their answers differ. The calls
are the examples of the contract, cases derived from it, and the cases of the suite with data found on A. Only read-only
methods are called. Calls about the head use one block that both deployments have. Volatile values and error messages
are not compared. Differences are checked a second time: a difference that disappears, or that occurs while the head
moves, is inconclusive. A missing answer never counts as agreement. With a report, the calls of its cases are compared
as they were sent. A difference is then inconclusive if the head of the report moved, or is another one, and may explain
it.`,
  define,
  examples: [
    { says: 'staging and production', line: 'concordat compare "$STAGING_URL" "$RPC_URL"' },
    { says: 'before and after a deployment', line: 'concordat compare before.json "$RPC_URL"' },
  ],
  notes: `Exit codes: 0 equal, 1 different or unanswered, 2 could not compare, 3 incomplete (with --require-complete).`,
  run: compare,
})

type Invoked = InvocationOf<typeof define>
type Options = Invoked['options']

/** Runs `concordat compare`, which sends the same calls to two deployments. Its errors contain no secrets. */
export const compareCommand: Command = async (args, io) => {
  const redactor = argumentRedactor(
    args.filter((argument) => !isReportFile(argument)),
    io,
  )
  try {
    return await compareDeployments(args, io)
  } catch (error) {
    const message = redactor.redact(error instanceof UsageError ? error.message : inspect(error))
    if (error instanceof UsageError) throw new UsageError(message)
    // A defect of concordat: print it in full.
    io.err(`concordat compare: ${message}`)
    return 2
  }
}

async function compare({ args, options, io }: Invoked): Promise<number> {
  const { contract: document, scenarios: folders, allowRemote, network, header, report: reportFile } = options
  const { members: listedMembers } = options
  const urls = { a: args[0], b: args[1] }
  const headers = { a: { ...header, ...options.headerA }, b: { ...header, ...options.headerB } }
  const suite = await loadSuite({ document, folders, allowRemote, listedMembers })
  const toleranceOf = toleranceIn(options.tolerate, suite)
  const chosen = casesIn(suite, { only: options.only, replay: undefined })
  const recordings = {
    a: isReportFile(urls.a) ? await recordingOf(urls.a, suite) : undefined,
    b: isReportFile(urls.b) ? await recordingOf(urls.b, suite) : undefined,
  }
  const target = (name: 'a' | 'b'): Target =>
    targetOf(recordings[name]?.report.target ?? { url: urls[name], network }, suite)
  const targets = { a: target('a'), b: target('b') }
  const redactor = redactorOf(targets, headers)
  const output = createOutput(io, redactor, 'compare')
  if (reportFile !== undefined && reportFile !== '-') await checkWritable(reportFile)
  const deployment = (name: 'a' | 'b') => ({
    target: targets[name],
    headers: headers[name],
    answers:
      recordings[name] ??
      createSender({
        ...boundsOf({ ...options, perSecond: options.rps }, targets[name]),
        effects: suite.checks.effects,
        methods: suite.checks.methods,
        assumeRead: assumedToRead(options, suite.contract),
        allow: new Set(['read'] as const),
        timeoutMilliseconds: options.timeout * 1000,
        maximumBytes: conformDefaults.maximumBytes,
        headers: headers[name],
        session: sessionOf(suite.contract),
        limitErrors: contractTerms(suite.contract).limitErrors,
      }),
  })
  const [a, b] = [deployment('a'), deployment('b')]
  const stop = stopOnSignal()
  const progress = lineProgress()
  try {
    const report = await runCompare({
      ...suite,
      contractSha256: suite.sha256,
      chosen,
      only: options.only,
      a,
      b,
      functions: chainFunctions,
      redactor,
      toleranceOf,
      concurrency: options.concurrency ?? conformDefaults.concurrency,
      onProgress: progress.show,
      signal: stop.signal,
    })
    progress.end()
    await write(report, options, io, output)
    const code = compareExitCode(report, options.requireComplete)
    if (code === 2) output.tell('concordat compare: nothing was compared')
    return code === 1 || !(stop.signal.aborted || output.hasLeaked()) ? code : 2
  } catch (error) {
    const isExpected =
      error instanceof Unreachable || error instanceof AccessRefused || error instanceof NotComparable
    if (isExpected) throw new UsageError(redactor.redact(error.message), { cause: error })
    throw error
  } finally {
    progress.end()
    stop.end()
    for (const { answers } of [a, b]) if ('close' in answers) answers.close()
  }
}

/** True for a report in place of a URL. */
function isReportFile(argument: string): boolean {
  return argument === '-' || (/\.json$/i.test(argument) && !/^[a-z]+:/i.test(argument))
}

/**
 * Reads the report of an earlier run, whose answers are compared instead of new ones.
 * @throws UsageError if it was made with another contract or other cases, or has no answers
 */
async function recordingOf(file: string, { contract, sha256, scenarios }: Suite): Promise<Recording> {
  const report = await readReportFile(file)
  const { contract: then, cases } = report
  if (then.sha256 !== sha256) {
    const title = `${then.title} ${then.version}, sha256 ${then.sha256.slice(0, 12)}…`
    const now = `${contract.title} ${contract.version}, sha256 ${sha256.slice(0, 12)}…`
    throw new UsageError(
      printable(`${file}: made with another contract (${title}) than ${now}: --contract names its document`),
    )
  }
  if (cases.every(({ evidence }) => evidence.length === 0)) throw new UsageError(`${file}: it has no answers`)
  const ids = new Set(scenarios.map(({ id }) => id))
  if (!cases.some(({ id }) => ids.has(id))) {
    throw new UsageError(`${file}: made with other cases; --scenarios names their folder`)
  }
  return { file: file === '-' ? 'standard input' : file, report }
}

async function write(report: CompareReport, options: Options, io: CommandIo, output: Output): Promise<void> {
  const { report: reportFile } = options
  const json = `${JSON.stringify(report, null, 2)}\n`
  if (reportFile === '-') output.print([printableJson(json.trimEnd())])
  else {
    const colours = process.stdout.isTTY === true && !io.env['NO_COLOR']
    const again = (request: ComparedRequest) =>
      [
        'npx concordat compare',
        report.a.stored === undefined ? '"$URL_A"' : shellWord(report.a.stored.file),
        report.b.stored === undefined ? '"$URL_B"' : shellWord(report.b.stored.file),
        ...rerunWords(options),
        '--only',
        shellWord(request.case),
      ].join(' ')
    output.print(compareLines(printableIn(report), { colours, again }))
    if (reportFile !== undefined) await output.save(reportFile, json)
  }
}

function redactorOf(
  targets: Readonly<Record<'a' | 'b', Target>>,
  headers: Readonly<Record<'a' | 'b', Options['header']>>,
): Redactor {
  return createRedactor(
    [
      { target: targets.a, headers: headers.a },
      { target: targets.b, headers: headers.b },
    ].flatMap(({ target, headers }) => secretsOf({ headers, values: target.secrets })),
  )
}

/** A tolerance for numbers in the results of matching methods. */
interface Tolerance {
  readonly pattern: string
  readonly amount: string | number
  /** The value of the option. */
  readonly given: string
}

/** Adds a value of `--tolerate`. */
function readTolerance(given: string, tolerances: readonly Tolerance[]): readonly Tolerance[] {
  const [, pattern, amount] = /^(.+)=(\d+(?:\.\d+)?%?|0x[0-9a-f]+)$/i.exec(given) ?? []
  if (pattern === undefined || amount === undefined) {
    throw new ValueError('needs PATTERN=AMOUNT, such as eth_gasPrice=10%')
  }
  return [...tolerances, { pattern, amount: /^[\d.]+$/.test(amount) ? Number(amount) : amount, given }]
}

/**
 * Returns the tolerance of each method. The last matching pattern applies.
 * @throws UsageError when a pattern matches no method
 */
function toleranceIn(
  tolerances: readonly Tolerance[],
  { contract }: Suite,
): (method: string) => string | number | undefined {
  const amounts = new Map(
    tolerances.flatMap(({ pattern, amount }) =>
      methodsMatching('--tolerate', pattern, contract).map((method) => [method, amount] as const),
    ),
  )
  return (method) => amounts.get(method)
}

function readReport(given: string): string {
  const file = /^json=(.+)$/s.exec(given)?.[1]
  if (file === undefined) throw new ValueError('needs json=FILE; - stands for standard output')
  return file
}

/**
 * Returns the options for a command that repeats one case. Header values are secret and replaced by an
 * ellipsis.
 */
function rerunWords(options: Options): readonly string[] {
  const given: readonly (readonly [string, string | undefined])[] = [
    ['--contract', options.contract],
    ...options.scenarios.map((folder) => ['--scenarios', folder] as const),
    ['--network', options.network],
    ...options.assumeRead.map((pattern) => ['--assume-read', pattern] as const),
    ['--members', options.members ? 'listed' : undefined],
    ...options.tolerate.map((tolerance) => ['--tolerate', tolerance.given] as const),
    ...Object.keys(options.header).map((name) => ['--header', `${name}: …`] as const),
    ...Object.keys(options.headerA).map((name) => ['--header-a', `${name}: …`] as const),
    ...Object.keys(options.headerB).map((name) => ['--header-b', `${name}: …`] as const),
  ]
  const words = given.flatMap(([name, value]) => (value === undefined ? [] : [name, shellWord(value)]))
  return options.allowRemote ? [...words, '--allow-remote'] : words
}

/** Clears the current line of a terminal. */
const CLEAR = '\r\u001b[2K'

/** Shows progress in one line of a terminal. Writes nothing if the stream is not a terminal. */
function lineProgress() {
  const write = (words: string) => void (process.stderr.isTTY === true && process.stderr.write(words))
  return {
    show: (done: number, total: number, last: string) =>
      write(`${CLEAR}  ${done} of ${total}  ${last}`.slice(0, 100)),
    end: () => write(CLEAR),
  }
}
