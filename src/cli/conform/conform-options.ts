import {
  type Effect,
  type LatencyLimit,
  latencyMeasures,
  latencyTolerance,
  matchesPattern,
} from '../../conformance/index.js'
import { parseOptions, UsageError } from '../io.js'
import { type FileFormat, fileFormats } from './reports/render-report-file.js'
import { readWatch, type WatchOptions } from './watch/watch-options.js'

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
  readonly format: FileFormat
  readonly file: string
}

/** The parsed options of `concordat conform`. */
export interface ConformOptions {
  readonly url: string | undefined
  readonly contract: string | undefined
  readonly allowRemote: boolean
  /** Folders of scenarios, or `shipped`. */
  readonly scenarios: readonly string[]
  readonly network: string | undefined
  readonly secondKey: string | undefined
  readonly revokedKey: string | undefined
  /** URLs with other keys, by the name that scenarios use. */
  readonly keys: Readonly<Record<string, string>>
  /** Folder of tests in the format of ethereum/execution-apis. */
  readonly ioDir: string | undefined
  /** True to compare only members that the contract lists. */
  readonly listedMembers: boolean
  readonly allow: ReadonlySet<Effect>
  readonly assumeRead: readonly string[]
  readonly plan: boolean
  readonly list: boolean
  readonly budget: number | undefined
  readonly perSecond: number | undefined
  readonly concurrency: number | undefined
  readonly timeoutSeconds: number
  readonly only: readonly string[]
  readonly replay: string | undefined
  /** Number of generated calls. */
  readonly explore: number | undefined
  /** Number of times that each case that only reads runs. */
  readonly repeat: number | undefined
  /** Seed of generated calls; by default a random one. */
  readonly seed: number | undefined
  /** Folder for the smallest failing generated cases. */
  readonly save: string | undefined
  /** Required percentages of covered parts of the contract. */
  readonly minimumCoverage: Readonly<Partial<Record<(typeof coverageParts)[number], number>>>
  /** Maximum latencies. Methods are patterns. */
  readonly maximumLatency: readonly LatencyLimit[]
  /** True if an exceeded limit of latency fails the run. */
  readonly latencyFails: boolean
  readonly profile: string | undefined
  readonly known: readonly string[]
  readonly requireComplete: boolean
  readonly headers: Readonly<Record<string, string>>
  readonly reports: readonly ReportTarget[]
  /** JSON report of a previous run. */
  readonly baseline: string | undefined
  /** Percentage by which a latency may rise since the baseline. */
  readonly latencyTolerance: number
  /** Failures that fail the run: all, or only those that the baseline does not have. */
  readonly failOn: 'any' | 'new'
  /** Set to watch the service instead of running once. */
  readonly watch: WatchOptions | undefined
}

const text = { type: 'string' } as const
const texts = { type: 'string', multiple: true } as const
const flag = { type: 'boolean', default: false } as const

const options = {
  contract: text,
  'allow-remote': flag,
  scenarios: texts,
  network: text,
  'second-key': text,
  'revoked-key': text,
  key: texts,
  allow: texts,
  'assume-read': texts,
  plan: flag,
  list: flag,
  budget: text,
  rps: text,
  concurrency: text,
  timeout: text,
  only: texts,
  replay: text,
  explore: text,
  repeat: text,
  seed: text,
  save: text,
  'min-coverage': text,
  'max-latency': texts,
  latency: text,
  'latency-tolerance': text,
  profile: text,
  known: texts,
  'require-complete': flag,
  header: texts,
  report: texts,
  baseline: text,
  'fail-on': text,
  watch: text,
  'watch-budget': text,
  'metrics-port': text,
  webhook: text,
  'io-dir': text,
  members: text,
  help: { type: 'boolean', short: 'h', default: false },
} as const

/**
 * Parses the options of `concordat conform`.
 * @param args the arguments after the command name
 * @throws UsageError when they are invalid; the caller must redact its message
 */
export function readConformOptions(args: readonly string[]): ConformOptions | 'help' {
  const { values, positionals } = parse(args)
  if (values.help) return 'help'
  const [url, more] = positionals
  if (more !== undefined) throw new UsageError('more than one argument was given: give one URL. See --help.')
  for (const name of [
    'contract',
    'scenarios',
    'network',
    'second-key',
    'revoked-key',
    'io-dir',
    'replay',
    'profile',
    'save',
    'baseline',
  ] as const) {
    if ([values[name]].flat().includes('')) throw new UsageError(`--${name} needs a value`)
  }
  const { plan, list, replay, only = [] } = values
  if (plan && list) throw new UsageError('--plan and --list cannot be combined')
  if (replay !== undefined && only.length > 0) throw new UsageError('--replay and --only cannot be combined')
  if (url === undefined && !list) throw new UsageError('the URL of the service is missing. See --help.')
  return {
    url,
    contract: values.contract,
    allowRemote: values['allow-remote'],
    scenarios: values.scenarios ?? [],
    network: values.network,
    secondKey: values['second-key'],
    revokedKey: values['revoked-key'],
    keys: readKeys(values.key ?? []),
    ioDir: values['io-dir'],
    listedMembers: readMembers(values.members),
    allow: readAllow(values.allow ?? []),
    assumeRead: values['assume-read'] ?? [],
    plan,
    list,
    budget: wholeNumber('budget', values.budget, 1),
    perSecond: wholeNumber('rps', values.rps, 1),
    concurrency: wholeNumber('concurrency', values.concurrency, 1),
    timeoutSeconds: wholeNumber('timeout', values.timeout, 1) ?? conformDefaults.timeoutSeconds,
    only,
    replay,
    explore: wholeNumber('explore', values.explore, 1),
    repeat: wholeNumber('repeat', values.repeat, 1),
    seed: wholeNumber('seed', values.seed, 0),
    save: values.save,
    minimumCoverage: readCoverage(values['min-coverage']),
    maximumLatency: (values['max-latency'] ?? []).flatMap(readLatency),
    latencyFails: readLatencyMode(values.latency),
    latencyTolerance: readTolerance(values['latency-tolerance'], values.baseline),
    profile: values.profile,
    known: values.known ?? [],
    requireComplete: values['require-complete'],
    headers: readHeaders(values.header ?? []),
    reports: readReports(values.report ?? []),
    baseline: values.baseline,
    failOn: readFailOn(values['fail-on'], values.baseline),
    watch: readWatch(values, wholeNumber),
  }
}

function parse(args: readonly string[]) {
  return parseOptions(args, { options, allowPositionals: true })
}

/**
 * Reads `--members`. Returns true for listed members only.
 * @throws UsageError for another value
 */
export function readMembers(given: string | undefined): boolean {
  if (given === undefined || given === 'listed' || given === 'all') return given === 'listed'
  throw new UsageError('--members needs all or listed')
}

/** Reads `--key`. The URL is secret, so messages never contain it. */
function readKeys(given: readonly string[]): Readonly<Record<string, string>> {
  const keys: Record<string, string> = {}
  for (const key of given) {
    const [, name, url] = /^([a-z]+(?:-[a-z]+)*)=(.+)$/.exec(key) ?? []
    if (name === undefined || url === undefined || name === 'other-case') {
      throw new UsageError('--key needs NAME=URL, with a lower-case name such as contracts')
    }
    if (Object.hasOwn(keys, name)) throw new UsageError(`--key ${name} is given twice`)
    keys[name] = url
  }
  return keys
}

function readAllow(given: readonly string[]): ReadonlySet<Effect> {
  const allow = new Set<Effect>(['read'])
  for (const name of given.flatMap((list) => list.split(',')).map((name) => name.trim())) {
    if (name !== 'write' && name !== 'spends-quota') {
      throw new UsageError('--allow takes write, spends-quota, or both separated by a comma')
    }
    allow.add(name)
  }
  return allow
}

/** Parts of the contract whose coverage can be required. */
export const coverageParts = ['methods', 'members', 'branches', 'errors'] as const

function readCoverage(given: string | undefined): ConformOptions['minimumCoverage'] {
  const entries = (given?.split(',') ?? []).map((entry) => {
    const [, name, percent] = /^\s*(\w+)=(\d{1,3})\s*$/.exec(entry) ?? []
    const part = coverageParts.find((known) => known === name)
    if (part === undefined || Number(percent) > 100) {
      throw new UsageError(
        `--min-coverage needs percentages such as methods=100,errors=80; known are ${coverageParts.join(', ')}`,
      )
    }
    return [part, Number(percent)] as const
  })
  return Object.fromEntries(entries)
}

/** Reads `--max-latency`, such as `p99=500` or `get*:p50=20,max=1000`. */
function readLatency(given: string): readonly LatencyLimit[] {
  return given.split(',').map((entry) => {
    const [, method, name, number] = /^\s*(?:(.+):)?(\w+)=(\d{1,9})\s*$/.exec(entry) ?? []
    const measure = latencyMeasures.find((known) => known === name)
    if (measure === undefined || Number(number) === 0) {
      throw new UsageError(
        `--max-latency needs milliseconds such as p99=500 or getBook:p99=500; known are ${latencyMeasures.join(', ')}`,
      )
    }
    return { method, measure, milliseconds: Number(number) }
  })
}

function readLatencyMode(given = 'warn'): boolean {
  if (given !== 'warn' && given !== 'fail') throw new UsageError('--latency takes warn or fail')
  return given === 'fail'
}

function readTolerance(given: string | undefined, baseline: string | undefined): number {
  if (given !== undefined && baseline === undefined) {
    throw new UsageError('--latency-tolerance needs --baseline REPORT.json')
  }
  return wholeNumber('latency-tolerance', given, 0) ?? latencyTolerance
}

/** Parses an integer option. @param name the option's name for messages @param given the value, if the option was given @param least the smallest allowed value @throws UsageError when the value is not an integer or too small */
export function wholeNumber(name: string, given: string | undefined, least: number): number | undefined {
  if (given === undefined) return undefined
  const number = /^\d{1,9}$/.test(given) ? Number(given) : Number.NaN
  if (number >= least) return number
  throw new UsageError(`--${name} needs a whole number from ${least}`)
}

/** Characters that HTTP does not allow in header values (RFC 9110, section 5.5). */
const NO_HEADER_VALUE = /[^\t\x20-\x7e\x80-\xff]/

/**
 * Reads `--header`. The value is secret, so messages never contain it.
 * @param given values of the form `Name: value`
 * @throws UsageError when a header is invalid
 */
export function readHeaders(given: readonly string[]): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {}
  for (const header of given) {
    const [, name, value] = /^([!#$%&'*+.^_`|~\w-]+):[ \t]*(.*?)[ \t]*$/.exec(header) ?? []
    if (name === undefined || value === undefined) {
      throw new UsageError("--header needs a name, a colon and a value: --header 'Name: value'")
    }
    if (NO_HEADER_VALUE.test(value)) {
      throw new UsageError(
        `--header ${name} has a value with a character that HTTP does not allow in headers`,
      )
    }
    headers[name.toLowerCase()] = value
  }
  return headers
}

function readFailOn(given: string | undefined, baseline: string | undefined): ConformOptions['failOn'] {
  if (given === undefined || given === 'any') return 'any'
  if (given !== 'new') throw new UsageError(`--fail-on takes any or new`)
  if (baseline === undefined) throw new UsageError('--fail-on new needs --baseline REPORT.json')
  return 'new'
}

function readReports(given: readonly string[]): readonly ReportTarget[] {
  const reports = given.map((text): ReportTarget => {
    const [, name = text, file = ''] = /^([^=]*)=(.*)$/s.exec(text) ?? []
    const format = fileFormats.find((known) => known === name)
    if (format === undefined || file === '') {
      throw new UsageError(
        `--report needs FORMAT=FILE, with FORMAT one of ${fileFormats.join(', ')}; - stands for standard output`,
      )
    }
    return { format, file }
  })
  const files = reports.map(({ file }) => file)
  if (new Set(files).size < files.length) throw new UsageError('two reports have the same file')
  return reports
}

/** Returns a predicate for methods that `--assume-read` declares read-only. */
export function assumedToRead({
  assumeRead,
}: Pick<ConformOptions, 'assumeRead'>): (method: string) => boolean {
  return (method) => assumeRead.some((pattern) => matchesPattern(pattern, method))
}
