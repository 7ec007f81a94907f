import { type LatencyLimit, transportOf } from '../../judge/index.js'
import {
  type Effect,
  latencyMeasures,
  latencyTolerance,
  type ReportFormat,
  reportFormats,
  reportFormatsHelp,
} from '../../judge/report/index.js'
import {
  type InvocationOf,
  type OptionValues,
  oneOf,
  type Program,
  refuseBeside,
  texts,
  timerSeconds,
  ValueError,
  wholeNumber,
} from '../define-command.js'
import { allowRemoteOption, contractOption, scenariosOption } from '../document-argument.js'
import { UsageError } from '../io.js'
import { readWatch, watchOptions } from './watch/watch-options.js'

/** Default limits of a run. Undefined means no limit. */
export const conformDefaults = {
  /** Billed requests, for hosts other than this machine. */
  budget: 1000,
  /** Requests per second, for hosts other than this machine. */
  perSecond: 10,
  /** Cases and requests at the same time. */
  concurrency: 4,
  /** Seconds for a complete answer. */
  timeoutSeconds: 30,
  /** Bytes of an answer: twice the size above which answers of logs are streamed. */
  maximumBytes: 64 * 1024 * 1024,
} as const

/** A report and its file. `-` is standard output. */
export interface ReportTarget {
  readonly format: ReportFormat
  readonly file: string
}

/** Parts of the contract whose coverage can be required. */
export const coverageParts = ['methods', 'members', 'branches', 'errors'] as const

/** Adds the argument and the options of `concordat conform`. */
export const defineConform = (program: Program) =>
  watchOptions(reportOptions(caseOptions(requestOptions(serviceOptions(program)))))

/** The option `--io-dir` of `conform` and `verify`. */
export const ioDirOption = [
  '--io-dir <DIR>',
  'also the tests of ethereum/execution-apis (.io files) in DIR',
] as const

/** The option `--members` of `conform`, `compare` and `verify`. Its value is true for `listed`. */
export const membersOption = [
  '--members <all|listed>',
  `members of results that are compared: all (default), or those that the contract lists, for tests and services that
  have more`,
  (word: string): boolean => oneOf('all', 'listed')(word) === 'listed',
  false,
] as const

const serviceOptions = (program: Program) =>
  program
    .argument(
      '[URL]',
      `the service with its key; the URL appears in no output (not needed with --list). With ws:// or wss://, the suite
      runs over WebSockets: cases about HTTP are not applicable, and subscriptions (x-subscription) are tested. With
      stdio: and a command, it runs over the standard input and output of a program (x-session)`,
    )
    .option(...contractOption)
    .option(...allowRemoteOption)
    .option(...scenariosOption)
    .option('--network <NAME>', 'the network of the service (default: read from the key suffix)')
    .option('--second-key <URL>', 'the same service with another key of the same user')
    .option('--revoked-key <URL>', 'the same service with a deleted or disabled key')
    .option(
      '--key <NAME=URL>',
      `the same service with a key that cases refer to by name (repeatable). Keys named contracts, methods, origins and
      clients have such a list. A key named token requires a JSON Web Token, and one named limited has its own limit.
      Cases that need a key state what its list must contain`,
      readKey,
      {},
    )
    .option(...ioDirOption)
    .option(...membersOption)

const requestOptions = <Args extends unknown[], Options extends OptionValues>(
  program: Program<Args, Options>,
) =>
  boundOptions(
    program
      .optionsGroup('What may be sent:')
      .option(
        '--allow <EFFECT,…>',
        'write, spends-quota or both: also run cases that write, and cases that spend the whole daily limit',
        readAllow,
        new Set<Effect>(['read']),
      )
      .option('--plan', 'print the maximum number of requests and send nothing', false),
  )

/** Adds the options of `conform` and `compare` that limit and describe requests. */
export const boundOptions = <Args extends unknown[], Options extends OptionValues>(
  program: Program<Args, Options>,
) =>
  program
    .option(
      '--assume-read <PATTERN>',
      'treat matching methods without a declared effect as read-only (repeatable)',
      texts,
      [],
    )
    .option(
      '--budget <N>',
      `maximum billed requests to a service (default: ${conformDefaults.budget}; unlimited for this machine)`,
      wholeNumber(1),
    )
    .option(
      '--rps <N>',
      `requests per second to a service (default: ${conformDefaults.perSecond}; unlimited for this machine)`,
      wholeNumber(1),
    )
    .option(
      '--concurrency <N>',
      `cases at the same time (default: ${conformDefaults.concurrency})`,
      wholeNumber(1),
    )
    .option(
      '--timeout <SECONDS>',
      'time limit for a complete answer',
      timerSeconds,
      conformDefaults.timeoutSeconds,
    )
    .option(
      '--header <NAME: VALUE>',
      'header for every request (repeatable); the value appears in no output',
      readHeader,
      {},
    )

const caseOptions = <Args extends unknown[], Options extends OptionValues>(program: Program<Args, Options>) =>
  program
    .optionsGroup('Which cases:')
    .option(
      '--only <PATTERN>',
      'cases or rules by id; * matches any text, and a leading ! excludes matches (repeatable)',
      texts,
      [],
    )
    .option('--replay <ID>', 'one case and the fixtures that it needs')
    .option(
      '--repeat <N>',
      'run each case that only reads N times, in other forms, until it does not pass',
      wholeNumber(1),
    )
    .option(
      '--explore <N>',
      `also send up to N generated calls: valid ones, nearly valid ones, repeated ones, and sequences in which results
      become parameters. A failing one is reduced to the smallest call that fails. With --only, generated calls are sent,
      too, unless a pattern selects some of them`,
      wholeNumber(1),
    )
    .option(
      '--seed <S>',
      'seed of the generated calls (default: a random one, which the ids of the cases contain)',
      wholeNumber(0),
    )
    .option('--save <DIR>', 'write the smallest failing generated calls as case files to DIR/explored')
    .option('--list', 'print the cases and send nothing', false)
    .option(
      '--profile <F>',
      `store data found on the service in F and reuse it in the next run, which then sends the same calls in the same
      order, one case at a time`,
    )
    .option(
      '--known <F>',
      'known failures: YAML, a list of case, reason, owner and expires (repeatable)',
      texts,
      [],
    )

const reportOptions = <Args extends unknown[], Options extends OptionValues>(
  program: Program<Args, Options>,
) =>
  program
    .optionsGroup('Output:')
    .option(
      '--report <FORMAT=FILE>',
      `write a report (repeatable): ${reportFormatsHelp}. - prints it instead of the terminal report`,
      readReport,
      [],
    )
    .option(
      '--baseline <REPORT.json>',
      `compare with a previous JSON report: new failures, fixed, still failing, new and removed cases, coverage, higher
      latencies, in the terminal and in markdown and github reports`,
    )
    .option(
      '--latency-tolerance <PERCENT>',
      'how much a percentile may rise since the baseline; at least 20 ms',
      wholeNumber(0),
      latencyTolerance,
    )
    .option(
      '--fail-on <any|new>',
      'failures that exit with 1: all, or only those that the baseline does not have',
      oneOf('any', 'new'),
      'any',
    )
    .option(
      '--min-coverage <LIST>',
      'fail below percentages of what answers covered (repeatable): methods=100,members=90,branches=90,errors=80',
      readCoverage,
      {},
    )
    .option(
      '--max-latency <LIST>',
      `maximum latencies in milliseconds, of all requests or of methods, in addition to those of the contract
      (x-latency): p99=500 or getBook:p50=20,getBook:max=1000 (repeatable)`,
      readLatency,
      [],
    )
    .option(
      '--latency <warn|fail>',
      `whether an exceeded maximum, or a higher latency than in the baseline, is a warning (the default) or fails the
      run`,
      (word: string) => oneOf('warn', 'fail')(word) === 'fail',
      false,
    )
    .option(
      '--require-complete',
      'exit with 3 if a case is inconclusive, did not run or lacks a fixture that is not optional',
      false,
    )

/**
 * Returns the options of `concordat conform` with the names that their readers use.
 * @throws UsageError when options cannot be combined; the caller must redact its message
 */
export function readConformOptions({ args, options, given }: InvocationOf<typeof defineConform>) {
  const [url] = args
  const { list, replay, explore, baseline, failOn } = options
  refuseBeside('--plan', ['--list', '--report', '--save'], given)
  refuseBeside('--list', ['--report', '--save'], given)
  refuseBeside('--replay', ['--only', '--explore'], given)
  if (explore === undefined) {
    if (options.seed !== undefined) throw new UsageError('--seed needs --explore')
    if (options.save !== undefined && replay === undefined)
      throw new UsageError('--save needs --explore or --replay')
  }
  if (url === undefined && !list) throw new UsageError('the URL of the service is missing. See --help.')
  if (url !== undefined && transportOf(url) === 'program' && Object.keys(options.header).length > 0) {
    throw new UsageError('--header is for HTTP and WebSockets: pass values to a program in its environment')
  }
  if (baseline === undefined && given.some(({ long }) => long === '--latency-tolerance')) {
    throw new UsageError('--latency-tolerance needs --baseline REPORT.json')
  }
  if (baseline === undefined && failOn === 'new') {
    throw new UsageError('--fail-on new needs --baseline REPORT.json')
  }
  const { key: keys, members: listedMembers, rps: perSecond, timeout: timeoutSeconds, ...others } = options
  const {
    minCoverage,
    maxLatency,
    latency: latencyFails,
    header: headers,
    report: reports,
    ...unchanged
  } = others
  return {
    ...unchanged,
    ...{ url, keys, listedMembers, perSecond, timeoutSeconds, latencyFails, headers, reports },
    minimumCoverage: minCoverage,
    maximumLatency: maxLatency,
    watch: readWatch(options, given),
  }
}

/** The options of `concordat conform`. */
export type ConformOptions = ReturnType<typeof readConformOptions>

type Texts = Readonly<Record<string, string>>

/** Adds a value of `--key`. The URL is secret, so messages never contain it. */
function readKey(given: string, keys: Texts): Texts {
  const [, name, url] = /^([a-z]+(?:-[a-z]+)*)=(.+)$/.exec(given) ?? []
  if (name === undefined || url === undefined || name === 'other-case') {
    throw new ValueError('needs NAME=URL, with a lower-case name such as contracts')
  }
  if (Object.hasOwn(keys, name)) throw new ValueError(`${name} is given twice`)
  return { ...keys, [name]: url }
}

function readAllow(given: string, allow: ReadonlySet<Effect>): ReadonlySet<Effect> {
  const names = given.split(',').map((name) => name.trim())
  const added = names.map((name) => {
    if (name === 'write' || name === 'spends-quota') return name
    throw new ValueError('takes write, spends-quota, or both separated by a comma')
  })
  return new Set([...allow, ...added])
}

type Coverage = Readonly<Partial<Record<(typeof coverageParts)[number], number>>>

/** Adds percentages of `--min-coverage`. */
function readCoverage(given: string, previous: Coverage): Coverage {
  const required: Record<string, number> = { ...previous }
  for (const entry of given.split(',')) {
    const [, name, percent] = /^\s*(\w+)=(\d{1,3})\s*$/.exec(entry) ?? []
    const part = coverageParts.find((known) => known === name)
    if (part === undefined || Number(percent) > 100) {
      throw new ValueError(
        `needs percentages such as methods=100,errors=80; known are ${coverageParts.join(', ')}`,
      )
    }
    if (Object.hasOwn(required, part)) throw new ValueError(`${part} is given twice`)
    required[part] = Number(percent)
  }
  return required
}

/** Adds a value of `--max-latency`, such as `p99=500` or `get*:p50=20,max=1000`. */
function readLatency(given: string, limits: readonly LatencyLimit[]): readonly LatencyLimit[] {
  const added = given.split(',').map((entry) => {
    const [, method, name, number] = /^\s*(?:(.+):)?(\w+)=(\d{1,9})\s*$/.exec(entry) ?? []
    const measure = latencyMeasures.find((known) => known === name)
    if (measure === undefined || Number(number) === 0) {
      throw new ValueError(
        `needs milliseconds such as p99=500 or getBook:p99=500; known are ${latencyMeasures.join(', ')}`,
      )
    }
    return { method, measure, milliseconds: Number(number) }
  })
  return [...limits, ...added]
}

/** Characters that HTTP does not allow in header values (RFC 9110, section 5.5). */
const NO_HEADER_VALUE = /[^\t\x20-\x7e\x80-\xff]/

/** Adds a value of `--header`, of the form `Name: value`. The value is secret, so messages never contain it. */
export function readHeader(given: string, headers: Texts): Texts {
  const [, name, value] = /^([!#$%&'*+.^_`|~\w-]+):[ \t]*(.*?)[ \t]*$/.exec(given) ?? []
  if (name === undefined || value === undefined) {
    throw new ValueError("needs a name, a colon and a value: --header 'Name: value'")
  }
  if (NO_HEADER_VALUE.test(value)) {
    throw new ValueError(`${name} has a value with a character that HTTP does not allow in headers`)
  }
  return { ...headers, [name.toLowerCase()]: value }
}

function readReport(given: string, reports: readonly ReportTarget[]): readonly ReportTarget[] {
  const [, name = given, file = ''] = /^([^=]*)=(.*)$/s.exec(given) ?? []
  const format = reportFormats.find((known) => known === name)
  if (format === undefined || file === '') {
    throw new ValueError(
      `needs FORMAT=FILE, with FORMAT one of ${reportFormats.join(', ')}; - stands for standard output`,
    )
  }
  if (reports.some((other) => other.file === file)) throw new UsageError('two reports have the same file')
  return [...reports, { format, file }]
}
