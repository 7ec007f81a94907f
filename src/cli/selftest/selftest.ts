import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { chainFunctions } from '../../chain-functions/index.js'
import {
  contractTerms,
  type Fault,
  type FaultOutcome,
  isProven,
  matrixLines,
  outcomeLines,
  type RuleReason,
  readRuleReasons,
  runSelftest,
  ScenarioError,
  type SelftestReport,
  SelftestTrouble,
  summaryLines,
} from '../../conformance/index.js'
import type { Contract } from '../../contract/index.js'
import { packagePath } from '../../util/package-file.js'
import { stopOnSignal } from '../conform/conform-interrupt.js'
import { targetOf } from '../conform/conform-setup.js'
import { loadSuite, problemsText, scenarioProblems } from '../conform/conform-suite.js'
import { type Command, type CommandIo, UsageError } from '../io.js'
import { readBlockSeconds } from '../serve/service-options.js'
import { checkRules, chosenFaults, loadFaults } from './selftest-faults.js'
import { type StartedService, startSelftestService } from './selftest-service.js'

const help = `Usage: concordat selftest [URL] [options]

Shows that the conformance suite can say no: starts the embedded service, puts a proxy with one named fault in front
of it, and runs the cases that claim the rule that the fault breaks. Each fault must be noticed by at least one of them.
The cases run without a fault first: one that fails then proves nothing.

  URL                a running service of another contract, on this machine, in place of the embedded one
  --contract DOC     its OpenRPC document
  --scenarios DIR    scenarios in YAML for it (may be given several times)
  --faults FILE      a JavaScript module that exports the faults as a list, "faults"
  --only FAULT       only faults whose name or rule is FAULT; * is any run of characters; may be given several times
  --full             run all the cases that claim a rule, where otherwise no more are run once a fault is noticed, and all
                     written cases that read besides, of which otherwise a few are; print the matrix, fault by case; with
                     all the faults, cases that none of them makes fail are told, too (rules that no fault can break are
                     listed, with reasons, in conformance/rules-without-fault.yaml)
  --block-seconds N  mine a block every N seconds on the embedded chains, so that the head moves (default 0)
  --list             the faults, their rules and what each does, without trying them
  --json             print JSON: every fault with all the cases that noticed it
  --help             this text

Exit codes: 0 every fault was noticed, 1 one survived, or a case is worth nothing, 2 could not run.`

/**
 * `concordat selftest`: tries the judge with faults.
 * @returns 0 every fault was killed, 1 one survived or a case is broken or idle, 2 could not run
 * @throws UsageError for arguments that cannot be used, and where service or proxy failed
 */
export const selftestCommand: Command = async (args, io) => {
  const options = readOptions(args)
  if (options.help) {
    io.out(help)
    return 0
  }
  const chosen = chosenFaults(await loadFaults(options.faults), options.only)
  if (options.list) {
    io.out(
      options.json
        ? jsonList(chosen)
        : chosen.map(({ name, rule, description }) => `${name}  (${rule})\n    ${description}`).join('\n'),
    )
    return 0
  }
  const { report, cases } = await tryFaults(chosen, options, io)
  const matrix = options.full ? matrixLines(report, cases) : []
  io.out(options.json ? JSON.stringify(report, null, 2) : [...matrix, ...summaryLines(report)].join('\n'))
  return isProven(report) ? 0 : 1
}

async function tryFaults(
  chosen: readonly Fault[],
  options: ReturnType<typeof readOptions>,
  io: CommandIo,
): Promise<{ readonly report: SelftestReport; readonly cases: readonly string[] }> {
  const { url, contract: document, scenarios: folders } = options
  const suite = await loadSuite({ document, folders })
  const { contract, checks, sha256, scenarios, fixtures, tool } = suite
  checkRules(chosen, contract)
  const unbreakable = await unbreakableRules(contract, folders)
  const stop = stopOnSignal()
  const progress = createFaultProgress(chosen.length)
  progress.say('  starting the embedded service')
  const starting = url === undefined ? startSelftestService(io.env, options.blockSeconds) : given(url, suite)
  const service = await starting.catch((error: unknown) => {
    progress.clear()
    throw error
  })
  progress.say('  running the cases without a fault')
  try {
    const report = await runSelftest({
      tool,
      contract,
      contractSha256: sha256,
      scenarios,
      fixtures,
      checks,
      functions: chainFunctions,
      faults: chosen,
      service,
      isFull: options.full,
      isWhole: options.only.length === 0,
      unbreakable,
      signal: stop.signal,
      onOutcome: (outcome, done) => {
        progress.clear()
        if (!options.json) io.out(outcomeLines(outcome).join('\n'))
        progress.show(outcome, done)
      },
    })
    return { report, cases: scenarios.map(({ id }) => id) }
  } catch (error) {
    if (stop.signal.aborted) throw new UsageError('stopped before every fault was tried')
    throw error instanceof SelftestTrouble ? new UsageError(error.message, { cause: error }) : error
  } finally {
    progress.clear()
    await service.stop()
    stop.end()
  }
}

/**
 * A service that runs already; all its users are one.
 * @throws UsageError for a URL of another machine: cases may write and spend
 */
async function given(url: string, suite: Parameters<typeof targetOf>[1]): Promise<StartedService> {
  const { isLoopback } = targetOf(
    { url, secondKey: undefined, revokedKey: undefined, network: undefined },
    suite,
  )
  const { origin, protocol } = new URL(url)
  if (!isLoopback || protocol !== 'http:') {
    throw new UsageError('the selftest may write: it needs a service on this machine, by http')
  }
  return { origin, fundedKey: undefined, newUser: async () => ({ url }), stop: async () => undefined }
}

/**
 * Rules that no fault can break, each with its reason.
 * @throws UsageError where a list cannot be used, or names a rule that the contract lacks
 */
async function unbreakableRules(
  contract: Contract,
  folders: readonly string[],
): Promise<ReadonlySet<string>> {
  const ids = new Set(contractTerms(contract).rules.map(({ id }) => id))
  const problem = ({ rule, source }: RuleReason, words: string) =>
    new UsageError(`${source.file}:${source.line}: "${rule}" ${words}`)
  const unbreakable = new Set<string>()
  for (const folder of folders.length === 0 ? ['shipped'] : folders) {
    const file = join(folder === 'shipped' ? packagePath('conformance') : folder, 'rules-without-fault.yaml')
    if (!existsSync(file)) continue
    try {
      for (const entry of readRuleReasons(await readFile(file, 'utf8'), file)) {
        if (!ids.has(entry.rule)) throw problem(entry, 'is no rule of the contract: correct or remove it')
        unbreakable.add(entry.rule)
      }
    } catch (cause) {
      if (!(cause instanceof ScenarioError)) throw cause
      throw new UsageError(problemsText('rules without a fault', scenarioProblems(cause)), { cause })
    }
  }
  return unbreakable
}

function readOptions(args: readonly string[]) {
  const { values, positionals } = parsed(args)
  const [url, more] = positionals
  const { contract, scenarios, faults } = values
  if (more !== undefined) throw new UsageError('one URL at a time: there are several arguments. See --help.')
  if (url !== undefined && (contract === undefined || faults === undefined)) {
    throw new UsageError('a service of your own needs --contract and --faults. See --help.')
  }
  if (url === undefined && (contract !== undefined || scenarios.length > 0)) {
    throw new UsageError('--contract and --scenarios need the URL of a service. See --help.')
  }
  return { ...values, url, blockSeconds: readBlockSeconds(values['block-seconds']) }
}

function parsed(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        contract: { type: 'string' },
        scenarios: { type: 'string', multiple: true, default: [] },
        faults: { type: 'string' },
        only: { type: 'string', multiple: true, default: [] },
        'block-seconds': { type: 'string' },
        full: { type: 'boolean', default: false },
        list: { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    })
  } catch (error) {
    throw new UsageError(`${error instanceof Error ? error.message.split(/\.\s/)[0] : error}. See --help.`)
  }
}

function jsonList(chosen: readonly Fault[]): string {
  return JSON.stringify(
    chosen.map(({ name, rule, description }) => ({ name, rule, description })),
    null,
    2,
  )
}

/** Erases the line and goes to its beginning. */
const CLEAR = '\r\u001b[2K'

/** One line on a terminal that says how far it is; nothing where the error output is no terminal. */
function createFaultProgress(total: number) {
  const stream = process.stderr
  const write = (text: string) => stream.isTTY === true && stream.write(text)
  return {
    say: (text: string) => write(`${CLEAR}${text}`),
    show: ({ name }: FaultOutcome, done: number) => write(`${CLEAR}  ${done} of ${total}  ${name}`),
    clear: () => write(CLEAR),
  }
}
