import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { chainFunctions } from '../chain-functions/index.js'
import {
  contractTerms,
  matchesPattern,
  type RuleReason,
  readRuleReasons,
  ScenarioError,
} from '../conformance/index.js'
import {
  type Fault,
  type FaultOutcome,
  faults,
  isProven,
  matrixLines,
  outcomeLines,
  runSelftest,
  type SelftestReport,
  SelftestTrouble,
  summaryLines,
} from '../conformance/selftest/index.js'
import type { Contract } from '../contract/index.js'
import { stopOnSignal } from './conform-interrupt.js'
import { loadSuite, packagePath, problemsText, scenarioProblems } from './conform-suite.js'
import { type Command, type CommandIo, UsageError } from './io.js'
import { startSelftestService } from './selftest-service.js'
import { readBlockSeconds } from './service-options.js'

const help = `Usage: concordat selftest [options]

Shows that the conformance suite can say no: starts the embedded service, puts a proxy with one named fault in front
of it, and runs the cases that claim the rule that the fault breaks. Each fault must be noticed by at least one of them.
The cases run without a fault first: one that fails then proves nothing.

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
  const chosen = chosenFaults(options.only)
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
  const { contract, checks, sha256, scenarios, fixtures, tool } = await loadSuite()
  const unbreakable = await unbreakableRules(contract)
  const stop = stopOnSignal()
  const progress = createFaultProgress(chosen.length)
  progress.say('  starting the embedded service')
  const service = await startSelftestService(io.env, options.blockSeconds).catch((error: unknown) => {
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
 * Rules that no fault can break, each with its reason.
 * @throws UsageError where the list cannot be used, or names a rule that there is not or that has a fault
 */
async function unbreakableRules(contract: Contract): Promise<ReadonlySet<string>> {
  const file = packagePath('conformance/rules-without-fault.yaml')
  if (!existsSync(file)) return new Set()
  const ids = new Set(contractTerms(contract).rules.map(({ id }) => id))
  const problem = ({ rule, source }: RuleReason, words: string) =>
    new UsageError(`${source.file}:${source.line}: "${rule}" ${words}`)
  try {
    const listed = readRuleReasons(await readFile(file, 'utf8'), file)
    for (const entry of listed) {
      if (!ids.has(entry.rule)) throw problem(entry, 'is no rule of the contract: correct or remove it')
    }
    return new Set(listed.map(({ rule }) => rule))
  } catch (cause) {
    if (!(cause instanceof ScenarioError)) throw cause
    throw new UsageError(problemsText('rules without a fault', scenarioProblems(cause)), { cause })
  }
}

function readOptions(args: readonly string[]) {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        only: { type: 'string', multiple: true, default: [] },
        'block-seconds': { type: 'string' },
        full: { type: 'boolean', default: false },
        list: { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    })
    return { ...values, blockSeconds: readBlockSeconds(values['block-seconds']) }
  } catch (error) {
    throw new UsageError(`${error instanceof Error ? error.message.split(/\.\s/)[0] : error}. See --help.`)
  }
}

function chosenFaults(only: readonly string[]): readonly Fault[] {
  const isMeant = (pattern: string, { name, rule }: Fault) =>
    matchesPattern(pattern, name) || matchesPattern(pattern, rule)
  for (const pattern of only) {
    if (!faults.some((fault) => isMeant(pattern, fault))) {
      throw new UsageError(`no fault and no rule of a fault matches "${pattern}"; --list shows them`)
    }
  }
  return only.length === 0
    ? faults
    : faults.filter((fault) => only.some((pattern) => isMeant(pattern, fault)))
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
