import { inspect } from 'node:util'
import type { JsonValue } from '@concordat/rpc'
import { AccessRefused, type Redactor, runConformance, Unreachable } from '../../judge/index.js'
import {
  compareReports,
  differenceLines,
  exitCodeOf,
  exitCodeOfNew,
  fixedParts,
  isUntested,
  limitText,
  missingReasons,
  numbered,
  type Report,
  type ReportDifference,
  type ReportFormat,
  type ReportOptions,
  renderReport,
  slowerText,
  terminalReport,
} from '../../judge/report/index.js'
import { printable, printableIn, printableJson } from '../../toolkit/text/index.js'
import { defineCommand, type InvocationOf } from '../define-command.js'
import { type Command, UsageError } from '../io.js'
import { readReportFile } from '../read-report-file.js'
import { chosenInvariants } from './chosen-invariants.js'
import { againCommand } from './conform-again.js'
import { coverageGaps, saveShrunk, withExplored } from './conform-explore.js'
import { stopOnSignal } from './conform-interrupt.js'
import { listLines, planLines } from './conform-list.js'
import { type ConformOptions, defineConform, readConformOptions } from './conform-options.js'
import { checkWritable, createOutput, type Output } from './conform-output.js'
import { profileText } from './conform-profile.js'
import { createProgress } from './conform-progress.js'
import { planOf, profileOf, type Run, runOptionsOf, senderOf } from './conform-run.js'
import {
  argumentRedactor,
  boundsOf,
  chosenCases,
  type GivenSecrets,
  givenSecrets,
  knownFailuresOf,
  redactorOf,
  targetOf,
} from './conform-setup.js'
import { loadSuite } from './conform-suite.js'
import { createPlaceOf } from './place-of.js'
import { watchService } from './watch/watch-service.js'

/** Maximum number of reasons shown if no method was answered. */
const MISSING_SHOWN = 5

const checkService = defineCommand({
  name: 'conform',
  description: `Checks a running service against its contract: sends the cases of the suite and judges every answer.
Each failed case is reported with its rule, the expected and the received answer, and a command that repeats the
request. Only read-only methods are called, unless --allow permits more.`,
  define: defineConform,
  examples: [
    {
      says: 'one group of cases, with a report to open',
      line: `concordat conform "$RPC_URL" --only 'logs-*' --report html=report.html`,
    },
    { says: 'what a run of the whole suite would send', line: 'concordat conform "$RPC_URL" --plan' },
  ],
  notes: `Environment:
  CONCORDAT_CONFORM_TOKEN       JSON Web Token for the key given with --key token=
  CONCORDAT_CONFORM_FUNDED_KEY  private key of an account with funds, for cases that send transactions

Exit codes: 0 passed, 1 a failure, an unanswered case, a service that stopped answering or a stale known failure, 2
could not run or no case was judged, 3 incomplete (with --require-complete). With --watch: 0 no rule fails at the end,
1 a rule fails or the service is down, 2 no case was judged.`,
  run: conform,
})

/** Runs `concordat conform`, which checks a service against its contract. Its errors contain no secrets. */
export const conformCommand: Command = async (args, io) => {
  const redactor = argumentRedactor(args, io)
  try {
    return await checkService(args, io)
  } catch (error) {
    if (error instanceof UsageError) throw new UsageError(redacted(error.message, redactor))
    // A defect of concordat: print it in full.
    io.err(redacted(`concordat conform: ${inspect(error)}`, redactor))
    return 2
  }
}

/** Redacts a text. If the redactor itself fails, returns a fixed message, since the text may contain a secret. */
function redacted(text: string, { redact }: Pick<Redactor, 'redact'>): string {
  try {
    return redact(text)
  } catch {
    return 'concordat conform: internal error; the details are withheld because they may contain a secret'
  }
}

async function conform(invocation: InvocationOf<typeof defineConform>): Promise<number> {
  const options = readConformOptions(invocation)
  const { io } = invocation
  const loaded = await loadSuite({
    document: options.contract,
    folders: options.scenarios,
    ioDir: options.ioDir,
    listedMembers: options.listedMembers,
    allowRemote: options.allowRemote,
    url: options.url,
  })
  const suite = withExplored(loaded, options)
  const scenarios = chosenCases(suite, options)
  if (options.list || options.url === undefined) {
    const { invariants, isAlone } = chosenInvariants(suite, options)
    io.out(listLines(isAlone ? [] : scenarios, invariants).join('\n'))
    return 0
  }
  const target = targetOf({ ...options, url: options.url }, suite)
  const run: Run = { options, suite, scenarios, target, bounds: boundsOf(options, target), io }
  if (options.watch !== undefined) return watchService(run, options.watch)
  return options.plan ? plan(run) : judge(run)
}

async function plan(run: Run): Promise<number> {
  const { scenarios, bounds, io, suite, options } = run
  const profile = await profileOf(run)
  const planned = await planOf(run, scenarios, new Set(profile.keys()))
  io.out(planLines(planned, bounds.budget, chosenInvariants(suite, options).invariants).join('\n'))
  return 0
}

async function judge(run: Run): Promise<number> {
  const { options, target, io } = run
  const given = givenSecrets(io)
  const redactor = redactorOf(target, options.headers, given)
  const output = createOutput(io, redactor)
  const baseline = await baselineOf(run)
  const files = options.reports.map(({ file }) => file).filter((file) => file !== '-')
  for (const file of [...files, ...(options.profile === undefined ? [] : [options.profile])]) {
    await checkWritable(file)
  }
  const stop = stopOnSignal()
  try {
    const report = await reportOf(run, given, redactor, stop.signal, output)
    const difference = baseline && compareReports(report, baseline, options.latencyTolerance)
    await write(report, run, output, { baseline, difference })
    if (stop.signal.aborted)
      output.tell('concordat conform: stopped; the remaining cases are reported as not run')
    if (options.save !== undefined) {
      for (const path of await saveShrunk(report, options.save))
        output.tell(`concordat conform: wrote ${path}`)
    }
    return codeOf(report, options, difference, stop.signal.aborted || output.hasLeaked(), output)
  } catch (error) {
    const message = error instanceof Error ? redactor.redact(error.message) : ''
    if (error instanceof Unreachable) throw new UsageError(`cannot reach ${target.shown}: ${message}`)
    if (!(error instanceof AccessRefused)) throw error
    throw new UsageError(`${target.shown} denies access (${message}): check the key in the URL and --header`)
  } finally {
    stop.end()
  }
}

async function reportOf(
  run: Run,
  given: GivenSecrets,
  redactor: ReturnType<typeof redactorOf>,
  signal: AbortSignal,
  output: Output,
): Promise<Report> {
  const { options, suite, scenarios, target, bounds } = run
  const known = await knownFailuresOf(options.known)
  const profile = await profileOf(run)
  const found = new Map<string, Readonly<Record<string, JsonValue>>>(profile)
  const sender = senderOf(run, bounds.budget)
  let isNew = false
  const progress = createProgress(scenarios.length)
  try {
    return await runConformance({
      ...runOptionsOf(run, given, redactor, known),
      sender,
      profile,
      onFound: (fixture, captures) => {
        found.set(fixture, captures)
        isNew = true
      },
      onReset: (reason) => {
        found.clear()
        output.tell(
          `concordat conform: ${options.profile} does not match the service and is rebuilt: ${reason}`,
        )
      },
      onProgress: progress.show,
      signal,
    })
  } finally {
    progress.end()
    sender.close()
    if (options.profile !== undefined && isNew) {
      const owner = { network: target.network, contractSha256: suite.sha256 }
      await output.save(options.profile, profileText(found, owner))
    }
  }
}

/** Reads the report of `--baseline`, which must be of the same contract, in any version. */
async function baselineOf({ options, suite }: Run): Promise<Report | undefined> {
  if (options.baseline === undefined) return undefined
  const baseline = await readReportFile(options.baseline)
  const { title } = suite.contract
  if (baseline.contract.title === title) return baseline
  throw new UsageError(
    `${options.baseline}: a report of another contract, "${printable(baseline.contract.title)}" instead of "${title}"`,
  )
}

async function write(
  report: Report,
  { options, suite, io }: Run,
  output: Output,
  compared: Pick<ReportOptions, 'baseline' | 'difference'>,
): Promise<void> {
  const again = againCommand(options)
  const render: ReportOptions = {
    ...compared,
    again,
    placeOf: createPlaceOf(suite),
  }
  const printed = options.reports.find(({ file }) => file === '-')
  if (printed !== undefined)
    output.print([printableReport(printed.format, report, render)], fixedParts(printed.format))
  else {
    const isTerminal = process.stdout.isTTY === true
    const columns = isTerminal ? process.stdout.columns : undefined
    const colours = isTerminal && !io.env['NO_COLOR']
    output.print(terminalReport(printableIn(report), { colours, columns, again }))
    if (compared.difference !== undefined) output.print(differenceLines(printableIn(compared.difference)))
  }
  // Reports are written last, so that a full disk does not lose the printed result.
  for (const { format, file } of options.reports) {
    if (file === '-') continue
    await output.save(file, renderReport(format, report, render), fixedParts(format))
  }
}

/** Prints a report. Only JSON may still contain control characters for a terminal. */
function printableReport(format: ReportFormat, report: Report, options: ReportOptions): string {
  const text = renderReport(format, report, options).trimEnd()
  return format === 'json' ? printableJson(text) : text
}

function codeOf(
  report: Report,
  options: ConformOptions,
  difference: ReportDifference | undefined,
  isIncomplete: boolean,
  output: Output,
): number {
  const gaps = coverageGaps(report, options.minimumCoverage)
  for (const gap of gaps) output.tell(`concordat conform: --min-coverage ${gap}`)
  const exceeded = report.latency?.limits.filter(({ isExceeded }) => isExceeded) ?? []
  const slow = options.latencyFails
    ? [...exceeded.map(limitText), ...(difference?.slower ?? []).map(slowerText)]
    : []
  for (const text of slow) output.tell(`concordat conform: --latency fail: ${text}`)
  const judged =
    options.failOn === 'new' && difference !== undefined
      ? exitCodeOfNew(report, difference, options.requireComplete)
      : exitCodeOf(report, options.requireComplete)
  const lost = [
    ...(difference?.lostFixtures ?? []).map((name) => `the fixture ${name} was found, and is not found now`),
    ...(difference?.lostRules ?? []).map((rule) => `the rule ${rule} was judged, and is not judged now`),
  ]
  for (const text of lost) output.tell(`concordat conform: --baseline: ${text}`)
  const code = gaps.length + slow.length + lost.length > 0 && judged !== 2 ? 1 : judged
  if (code === 2 && isUntested(report)) {
    output.tell('concordat conform: no method was answered, so the service was not tested. Missing:')
    const missing = missingReasons(report)
    for (const { reason, cases } of missing.slice(0, MISSING_SHOWN)) {
      output.tell(`  ${numbered(cases, 'case')}: ${reason}`)
    }
    if (missing.length > MISSING_SHOWN) output.tell(`  ${missing.length - MISSING_SHOWN} more reasons`)
  } else if (code === 2 && report.counts['harness-error'] === 0) {
    output.tell('concordat conform: no case was judged, so the service was not tested')
  }
  return code === 1 || !isIncomplete ? code : 2
}
