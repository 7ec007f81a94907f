import { inspect, parseArgs } from 'node:util'
import { chainFunctions } from '../../chain-functions/index.js'
import {
  type ComparedRequest,
  type CompareReport,
  compareExitCode,
  compareLines,
  NotComparable,
  runCompare,
} from '../../conformance/compare/index.js'
import {
  AccessRefused,
  createRedactor,
  createSender,
  type Redactor,
  secretsOf,
  shellWord,
  type Target,
  Unreachable,
} from '../../conformance/index.js'
import { stopOnSignal } from '../conform/conform-interrupt.js'
import { assumedToRead, conformDefaults, readHeaders, wholeNumber } from '../conform/conform-options.js'
import { checkWritable, createOutput, type Output } from '../conform/conform-output.js'
import { argumentRedactor, boundsOf, chosenCases, targetOf } from '../conform/conform-setup.js'
import { loadSuite } from '../conform/conform-suite.js'
import { type Command, type CommandIo, UsageError } from '../io.js'
import { printableIn, printableJson } from '../printable.js'

const { budget, perSecond, concurrency, timeoutSeconds, maximumBytes } = conformDefaults

const help = `Usage: concordat compare URL_A URL_B [options]

Asks two deployments of a contract the same, and tells where their answers differ: the examples of the contract, what
follows from it, and the calls of the suite about what is found on A. Only methods that read are called, and calls
about the head are asked about one block that both have. What the contract marks as volatile, and the messages of
errors, are not compared. What differs is asked again: a difference that does not stay, or comes while the head moves,
is inconclusive; an answer that did not come is never agreement.

  URL_A, URL_B             the deployments, their keys included; they appear in no output
  --contract DOC           another OpenRPC document (default: the package's own); JSON or YAML, a folder with
                           openrpc.json, or - for standard input
  --allow-remote           fetch the http and https documents that references in it name
  --scenarios DIR          scenarios in YAML for it; shipped names the package's own (may be given several times;
                           default: shipped, for the package's own contract)
  --network NAME           the network that both serve (default: told by the keys' suffixes)
  --only PATTERN           cases or rules by id; * stands for anything (may be given several times). Chosen cases are
                           compared even where the two are of different networks, or have no block in common
  --assume-read PATTERN    methods that declare no effect and only read
  --budget N               billed requests at most, to each (default ${budget}; none for this machine)
  --rps N                  requests a second, to each (default ${perSecond}; any for this machine)
  --concurrency N          cases at the same time (default ${concurrency})
  --timeout SECONDS        time for a whole answer (default ${timeoutSeconds})
  --header 'Name: value'   sent with every request; the value appears in no output
  --header-a, --header-b   the same, for one of the two
  --report json=FILE       a report for programs; - is the standard output, in the place of the other
  --require-complete       exit 3 where something is inconclusive or did not run
  --help                   this text

Exit codes: 0 alike, 1 different or not answered, 2 could not compare, 3 incomplete (--require-complete).`

/**
 * `concordat compare`: asks two deployments the same.
 * @returns 0 alike, 1 different or not answered, 2 nothing was compared, 3 incomplete where completeness was asked for
 * @throws UsageError, without any secret, where arguments or files cannot be used, or the two cannot be compared
 */
export const compareCommand: Command = async (args, io) => {
  const redactor = argumentRedactor(args, io)
  try {
    return await compare(args, io)
  } catch (error) {
    const told = redactor.redact(error instanceof UsageError ? error.message : inspect(error))
    if (error instanceof UsageError) throw new UsageError(told)
    // A defect of ours, told whole.
    io.err(`concordat compare: ${told}`)
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
      concurrency: options.concurrency ?? concurrency,
      onProgress: progress.show,
      signal: stop.signal,
    })
    progress.end()
    await write(report, options, io, output)
    const code = compareExitCode(report, options.requireComplete)
    if (code === 2) output.tell('concordat compare: nothing was compared, so nothing is known of the two')
    return code === 1 || !(stop.signal.aborted || output.hasLeaked()) ? code : 2
  } catch (error) {
    const isTold =
      error instanceof Unreachable || error instanceof AccessRefused || error instanceof NotComparable
    if (isTold) throw new UsageError(redactor.redact(error.message), { cause: error })
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
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        contract: text,
        'allow-remote': flag,
        scenarios: texts,
        network: text,
        only: texts,
        'assume-read': texts,
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
  } catch (error) {
    throw new UsageError(`${error instanceof Error ? error.message.split(/\.\s/)[0] : error}. See --help.`)
  }
}

function readOptions(args: readonly string[]) {
  const { values, positionals } = parse(args)
  if (values.help) return 'help'
  const [a, b, more] = positionals
  if (a === undefined || b === undefined || more !== undefined) {
    throw new UsageError(
      `two URLs are compared; there ${positionals.length === 1 ? 'is' : 'are'} ${positionals.length}. See --help.`,
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
    scenarios: values.scenarios,
    network: values.network,
    only: values.only,
    assumeRead: values['assume-read'],
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

function readReport(given: string | undefined): string | undefined {
  if (given === undefined) return undefined
  const file = /^json=(.+)$/s.exec(given)?.[1]
  if (file === undefined) throw new UsageError('--report needs json=FILE; FILE - is the standard output')
  return file
}

/** What a line that asks one case again has of the options; values of headers are left to the person. */
function rerunWords(values: ReturnType<typeof parse>['values']): readonly string[] {
  const given: readonly (readonly [string, string | undefined])[] = [
    ['--contract', values.contract],
    ...values.scenarios.map((folder) => ['--scenarios', folder] as const),
    ['--network', values.network],
    ...values['assume-read'].map((pattern) => ['--assume-read', pattern] as const),
    ...(['header', 'header-a', 'header-b'] as const).flatMap((name) =>
      Object.keys(readHeaders(values[name])).map((header) => [`--${name}`, `${header}: …`] as const),
    ),
  ]
  const words = given.flatMap(([name, value]) => (value === undefined ? [] : [name, shellWord(value)]))
  return values['allow-remote'] ? [...words, '--allow-remote'] : words
}

/** Erases the line and goes to its beginning. */
const CLEAR = '\r\u001b[2K'

/** One line on a terminal that says how far it is; nothing where the error output is no terminal. */
function lineProgress(stream: NodeJS.WriteStream = process.stderr) {
  const write = (words: string) => void (stream.isTTY === true && stream.write(words))
  return {
    show: (done: number, total: number, last: string) =>
      write(`${CLEAR}  ${done} of ${total}  ${last}`.slice(0, 100)),
    end: () => write(CLEAR),
  }
}
