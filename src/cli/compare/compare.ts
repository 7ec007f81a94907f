import { inspect } from 'node:util'
import { chainFunctions } from '../../chain-functions/index.js'
import {
  AccessRefused,
  type ComparedRequest,
  type CompareReport,
  compareExitCode,
  compareLines,
  createRedactor,
  createSender,
  matchesPattern,
  NotComparable,
  type Redactor,
  runCompare,
  secretsOf,
  shellWord,
  type Target,
  Unreachable,
} from '../../conformance/index.js'
import { stopOnSignal } from '../conform/conform-interrupt.js'
import {
  assumedToRead,
  conformDefaults,
  readHeaders,
  readMembers,
  wholeNumber,
} from '../conform/conform-options.js'
import { checkWritable, createOutput, type Output } from '../conform/conform-output.js'
import { argumentRedactor, boundsOf, chosenCases, targetOf } from '../conform/conform-setup.js'
import { loadSuite } from '../conform/conform-suite.js'
import { documentWords } from '../document-argument.js'
import { type Command, type CommandIo, parseOptions, UsageError } from '../io.js'
import { printableIn, printableJson } from '../printable.js'

const { budget, perSecond, concurrency, timeoutSeconds, maximumBytes } = conformDefaults

const help = `Usage: concordat compare URL_A URL_B [options]

Sends the same calls to two deployments of a contract and reports where their answers differ: the examples of the
contract, cases derived from it, and the cases of the suite with data found on A. Only read-only methods are called.
Calls about the head use one block that both deployments have. Volatile values and error messages are not compared.
Differences are checked a second time: a difference that disappears, or that occurs while the head moves, is
inconclusive. A missing answer never counts as agreement.

  URL_A, URL_B             the deployments with their keys; the URLs appear in no output

  --contract DOC           another OpenRPC document (default: the package's own):
                           ${documentWords}
  --allow-remote           fetch the http and https documents that references name
  --scenarios DIR          scenarios in YAML; shipped means the package's own (repeatable; default: shipped, for the
                           package's own contract)
  --network NAME           the network of both deployments (default: read from the key suffixes)
  --only PATTERN           cases or rules by id; * matches any text (repeatable). Selected cases are compared even if
                           the deployments serve different networks or have no common block
  --assume-read PATTERN    treat matching methods without a declared effect as read-only
  --tolerate PATTERN=AMOUNT  accept that numbers in results of matching methods differ by up to AMOUNT: 10, 0x10 or 10%
                           (repeatable). Such a method is compared even if its result is volatile
  --members all|listed     members of results that are compared: all (default), or those that the contract lists
  --budget N               maximum billed requests to each (default ${budget}; unlimited for this machine)
  --rps N                  requests per second to each (default ${perSecond}; unlimited for this machine)
  --concurrency N          cases at the same time (default ${concurrency})
  --timeout SECONDS        time limit for a complete answer (default ${timeoutSeconds})
  --header 'Name: value'   header for every request; the value appears in no output
  --header-a, --header-b   the same for one deployment
  --report json=FILE       write a report for programs; - prints it instead of the text report
  --require-complete       exit with 3 if a case is inconclusive or did not run
  --help                   show this help

Exit codes: 0 equal, 1 different or unanswered, 2 could not compare, 3 incomplete (with --require-complete).`

/**
 * Runs `concordat compare`, which sends the same calls to two deployments.
 * @param args the arguments after the command name
 * @param io output and environment
 * @returns 0 equal, 1 different or unanswered, 2 nothing was compared, 3 incomplete with --require-complete
 * @throws UsageError, without secrets, when arguments or files are invalid or the deployments cannot be
 *   compared
 */
export const compareCommand: Command = async (args, io) => {
  const redactor = argumentRedactor(args, io)
  try {
    return await compare(args, io)
  } catch (error) {
    const message = redactor.redact(error instanceof UsageError ? error.message : inspect(error))
    if (error instanceof UsageError) throw new UsageError(message)
    // A defect of concordat: print it in full.
    io.err(`concordat compare: ${message}`)
    return 2
  }
}

async function compare(args: readonly string[], io: CommandIo): Promise<number> {
  const options = readOptions(args)
  if (options === 'help') {
    io.out(help)
    return 0
  }
  const { urls, headers, reportFile } = options
  const suite = await loadSuite({
    document: options.contract,
    folders: options.scenarios,
    allowRemote: options.allowRemote,
    listedMembers: options.listedMembers,
  })
  const chosen = chosenCases(suite, { only: options.only, replay: undefined })
  const target = (url: string): Target =>
    targetOf({ url, network: options.network, secondKey: undefined, revokedKey: undefined }, suite)
  const targets = { a: target(urls.a), b: target(urls.b) }
  const redactor = redactorOf(targets, headers)
  const output = createOutput(io, redactor, 'compare')
  if (reportFile !== undefined && reportFile !== '-') await checkWritable(reportFile)
  const deployment = (name: 'a' | 'b') => ({
    target: targets[name],
    headers: headers[name],
    sender: createSender({
      ...boundsOf(options, targets[name]),
      effects: suite.checks.effects,
      methods: suite.checks.methods,
      assumeRead: assumedToRead(options),
      allow: new Set(['read'] as const),
      timeoutMilliseconds: options.timeoutSeconds * 1000,
      maximumBytes,
      headers: headers[name],
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
      isChosen: options.only.length > 0,
      a,
      b,
      functions: chainFunctions,
      redactor,
      toleranceOf: options.toleranceOf,
      concurrency: options.concurrency ?? concurrency,
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
    for (const { sender } of [a, b]) sender.close()
  }
}

type Options = Exclude<ReturnType<typeof readOptions>, 'help'>

async function write(
  report: CompareReport,
  { reportFile, rerun }: Options,
  io: CommandIo,
  output: Output,
): Promise<void> {
  const json = `${JSON.stringify(report, null, 2)}\n`
  if (reportFile === '-') output.print([printableJson(json.trimEnd())])
  else {
    const colours = process.stdout.isTTY === true && !io.env['NO_COLOR']
    const again = (request: ComparedRequest) =>
      ['npx concordat compare "$URL_A" "$URL_B"', ...rerun, '--only', shellWord(request.case)].join(' ')
    output.print(compareLines(printableIn(report), { colours, again }))
    if (reportFile !== undefined) await output.save(reportFile, json)
  }
}

function redactorOf(targets: Readonly<Record<'a' | 'b', Target>>, headers: Options['headers']): Redactor {
  return createRedactor(
    [
      { target: targets.a, headers: headers.a },
      { target: targets.b, headers: headers.b },
    ].flatMap(({ target, headers }) => secretsOf({ urls: [], headers, values: target.secrets })),
  )
}

const text = { type: 'string' } as const
const texts = { type: 'string', multiple: true, default: [] as string[] } as const
const flag = { type: 'boolean', default: false } as const

function parse(args: readonly string[]) {
  return parseOptions(args, {
    allowPositionals: true,
    options: {
      contract: text,
      'allow-remote': flag,
      scenarios: texts,
      network: text,
      only: texts,
      'assume-read': texts,
      tolerate: texts,
      members: text,
      budget: text,
      rps: text,
      concurrency: text,
      timeout: text,
      header: texts,
      'header-a': texts,
      'header-b': texts,
      report: text,
      'require-complete': flag,
      help: { type: 'boolean', short: 'h', default: false },
    },
  })
}

function readOptions(args: readonly string[]) {
  const { values, positionals } = parse(args)
  if (values.help) return 'help'
  const [a, b, more] = positionals
  if (a === undefined || b === undefined || more !== undefined) {
    throw new UsageError(
      `two URLs are needed, but ${positionals.length} ${positionals.length === 1 ? 'was' : 'were'} given. See --help.`,
    )
  }
  for (const name of ['contract', 'scenarios', 'network'] as const) {
    if ([values[name]].flat().includes('')) throw new UsageError(`--${name} needs a value`)
  }
  const common = readHeaders(values.header)
  return {
    urls: { a, b },
    contract: values.contract,
    allowRemote: values['allow-remote'],
    listedMembers: readMembers(values.members),
    scenarios: values.scenarios,
    network: values.network,
    only: values.only,
    assumeRead: values['assume-read'],
    toleranceOf: readTolerances(values.tolerate),
    budget: wholeNumber('budget', values.budget, 1),
    perSecond: wholeNumber('rps', values.rps, 1),
    concurrency: wholeNumber('concurrency', values.concurrency, 1),
    timeoutSeconds: wholeNumber('timeout', values.timeout, 1) ?? timeoutSeconds,
    headers: {
      a: { ...common, ...readHeaders(values['header-a']) },
      b: { ...common, ...readHeaders(values['header-b']) },
    },
    reportFile: readReport(values.report),
    requireComplete: values['require-complete'],
    rerun: rerunWords(values),
  }
}

/** Reads `--tolerate`. The last matching pattern applies. */
function readTolerances(given: readonly string[]): (method: string) => string | number | undefined {
  const tolerances = given.map((tolerance) => {
    const [, pattern, amount] = /^(.+)=(\d+(?:\.\d+)?%?|0x[0-9a-f]+)$/i.exec(tolerance) ?? []
    if (pattern === undefined || amount === undefined) {
      throw new UsageError('--tolerate needs PATTERN=AMOUNT, such as eth_gasPrice=10%')
    }
    return { pattern, amount: /^[\d.]+$/.test(amount) ? Number(amount) : amount }
  })
  return (method) => tolerances.findLast(({ pattern }) => matchesPattern(pattern, method))?.amount
}

function readReport(given: string | undefined): string | undefined {
  if (given === undefined) return undefined
  const file = /^json=(.+)$/s.exec(given)?.[1]
  if (file === undefined) throw new UsageError('--report needs json=FILE; - stands for standard output')
  return file
}

/**
 * Returns the options for a command that repeats one case. Header values are secret and replaced by an
 * ellipsis.
 */
function rerunWords(values: ReturnType<typeof parse>['values']): readonly string[] {
  const given: readonly (readonly [string, string | undefined])[] = [
    ['--contract', values.contract],
    ...values.scenarios.map((folder) => ['--scenarios', folder] as const),
    ['--network', values.network],
    ...values['assume-read'].map((pattern) => ['--assume-read', pattern] as const),
    ['--members', values.members],
    ...values.tolerate.map((tolerance) => ['--tolerate', tolerance] as const),
    ...(['header', 'header-a', 'header-b'] as const).flatMap((name) =>
      Object.keys(readHeaders(values[name])).map((header) => [`--${name}`, `${header}: …`] as const),
    ),
  ]
  const words = given.flatMap(([name, value]) => (value === undefined ? [] : [name, shellWord(value)]))
  return values['allow-remote'] ? [...words, '--allow-remote'] : words
}

/** Clears the current line of a terminal. */
const CLEAR = '\r\u001b[2K'

/** Shows progress in one line of a terminal. Writes nothing if the stream is not a terminal. */
function lineProgress(stream: NodeJS.WriteStream = process.stderr) {
  const write = (words: string) => void (stream.isTTY === true && stream.write(words))
  return {
    show: (done: number, total: number, last: string) =>
      write(`${CLEAR}  ${done} of ${total}  ${last}`.slice(0, 100)),
    end: () => write(CLEAR),
  }
}
