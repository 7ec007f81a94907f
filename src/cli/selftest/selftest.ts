import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  contractTerms,
  type Fault,
  isProven,
  matrixLines,
  outcomeLines,
  type RuleReason,
  readRuleReasons,
  runSelftest,
  ScenarioError,
  type SelftestReport,
  summaryLines,
} from '../../judge/index.js'
import type { Contract } from '../../toolkit/contract/index.js'
import { problemsText, scenarioProblems } from '../conform/conform-suite.js'
import { defineCommand, type InvocationOf, type Program, texts, wholeNumber } from '../define-command.js'
import { documentWords } from '../document-argument.js'
import { type CommandIo, UsageError } from '../io.js'
import { packagePath } from '../package-file.js'
import { blockSeconds } from '../serve/service-options.js'
import { selftestComposed } from './selftest-composed.js'
import { chosenFaults, loadFaults, sampledFaults } from './selftest-faults.js'
import { selftestGenerated } from './selftest-generated.js'
import { withSelftestService } from './with-selftest-service.js'

const define = (program: Program) =>
  program
    .argument(
      '[URL]',
      'a running service of another contract on this machine, instead of the embedded service',
    )
    .option('--contract <DOC>', `its OpenRPC document: ${documentWords}`)
    .option('--scenarios <DIR>', 'scenarios in YAML (repeatable)', texts, [])
    .option('--faults <FILE>', 'a JavaScript module that exports the faults as a list "faults"')
    .option(
      '--only <FAULT>',
      'only faults with this name or rule; * matches any text (repeatable)',
      texts,
      [],
    )
    .option(
      '--sample <N>',
      `only N faults of each group of rules (such as logs or quota), which --seed chooses. With --composed, N faults under
      one condition each, of all of them`,
      wholeNumber(1),
    )
    .option(
      '--full',
      `run all cases of each rule, instead of stopping at the first detection, and all written read-only cases instead of
      a few; print a matrix of faults and cases. With all faults, also list cases that no fault makes fail
      (conformance/rules-without-fault.yaml lists rules that no fault can violate)`,
      false,
    )
    .option(
      '--block-seconds <N>',
      'mine a block every N seconds on the embedded chains, so that the head moves',
      blockSeconds,
      0,
    )
    .option('--seed <S>', 'another seed of the sample, and of generated calls and results', wholeNumber(0), 1)
    .option('--list', 'list the faults with their rules and descriptions, and run nothing')
    .option('--json', 'print JSON: every fault with all cases that detected it', false)
    .optionsGroup('Generated calls:')
    .option(
      '--generated',
      `test generated calls instead: serve the contract (--contract, default: the package's own) as a mock, send calls,
      and change each part of the results in each way, as faulty services would. Calls must reach 80 % of these changes,
      and catch 99 % of the reached ones that a schema forbids`,
    )
    .option('--explore <N>', 'send N calls (default: 2000, with --composed 200)', wholeNumber(1))
    .optionsGroup('Composed faults:')
    .option(
      '--composed',
      `try faults that show only under a condition: at a position, for a key, a size or a time, now and then, or where
      the data that shows them is hidden. Each fault is tried under one condition, which --seed chooses, and with --full
      under all. All cases that only read run, and generated calls (--explore)`,
    )
    .option('--repeat <N>', 'with --composed, run each case that only reads N times', wholeNumber(1), 3)

/** Runs `concordat selftest`, which tests the conformance suite with faults. */
export const selftestCommand = defineCommand({
  name: 'selftest',
  description: `Checks that the conformance suite detects faults. Starts the embedded service, gives its
answers one named fault at a time, and runs the cases of the rule that the fault violates. At least one case must fail
for each fault. The cases first run without a fault: a case that fails then proves nothing.`,
  define,
  examples: [
    { says: 'every fault', line: 'concordat selftest' },
    { says: 'the faults that violate rules about logs', line: "concordat selftest --only 'logs.*'" },
  ],
  notes: `Exit codes: 0 every fault was detected, 1 a fault was missed or a case proves nothing, 2 could not run. With
--generated: 0 both percentages were reached, 1 one was not, 2 could not run. With --composed: 0 every fault that changed
an answer was caught, 1 one was missed, 2 could not run.`,
  run: selftest,
})

type Invoked = InvocationOf<typeof define>

async function selftest(invoked: Invoked): Promise<number> {
  const { args, options, io } = invoked
  checkCombination(invoked)
  if (options.generated) {
    const { contract: document, explore: calls = 2000, seed, json } = options
    return selftestGenerated({ document, calls, seed, json }, io)
  }
  const selected = chosenFaults(await loadFaults(options.faults), options.only)
  const chosen = options.composed ? selected : sampledFaults(selected, options.sample, options.seed)
  if (options.list) {
    io.out(
      options.json
        ? jsonList(chosen)
        : chosen.map(({ name, rule, description }) => `${name}  (${rule})\n    ${description}`).join('\n'),
    )
    return 0
  }
  if (options.composed) {
    const { explore: calls = 200 } = options
    return selftestComposed(chosen, { ...options, url: args[0], calls }, io)
  }
  const { report, cases } = await tryFaults(chosen, args, options, io)
  const matrix = options.full ? matrixLines(report, cases) : []
  io.out(options.json ? JSON.stringify(report, null, 2) : [...matrix, ...summaryLines(report)].join('\n'))
  return isProven(report) ? 0 : 1
}

async function tryFaults(
  faults: readonly Fault[],
  [url]: Invoked['args'],
  options: Invoked['options'],
  io: CommandIo,
): Promise<{ readonly report: SelftestReport; readonly cases: readonly string[] }> {
  const { scenarios: folders, full, only, sample, json } = options
  return withSelftestService({ ...options, url, faults }, async ({ suite, progress, ...common }) => {
    const report = await runSelftest({
      ...common,
      faults,
      isFull: full,
      isWhole: only.length === 0 && sample === undefined,
      unbreakable: await unbreakableRules(suite.contract, folders),
      onOutcome: (outcome, done) => {
        progress.clear()
        if (!json) io.out(outcomeLines(outcome).join('\n'))
        progress.show(outcome.name, done)
      },
    })
    return { report, cases: suite.scenarios.map(({ id }) => id) }
  })
}

/**
 * Reads the rules that no fault can violate.
 * @throws UsageError when a list is invalid or contains an unknown rule
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
        if (!ids.has(entry.rule)) throw problem(entry, 'is not a rule of the contract: correct or remove it')
        unbreakable.add(entry.rule)
      }
    } catch (cause) {
      if (!(cause instanceof ScenarioError)) throw cause
      throw new UsageError(problemsText('rules without a fault', scenarioProblems(cause)), { cause })
    }
  }
  return unbreakable
}

/** Options that `--generated` takes. */
const generatedOptions = ['--generated', '--contract', '--explore', '--seed', '--json']

/** Refuses arguments and options that cannot be combined. */
function checkCombination({ args: [url], options, given }: Invoked): void {
  const { contract, scenarios, faults, generated, composed } = options
  const isGiven = (...names: readonly string[]) => given.some(({ long }) => long && names.includes(long))
  if (generated) {
    if (url === undefined && given.every(({ long }) => long && generatedOptions.includes(long))) return
    throw new UsageError('--generated takes only --contract, --explore, --seed and --json. See --help.')
  }
  if (!composed && isGiven('--explore')) {
    throw new UsageError('--explore needs --generated or --composed. See --help.')
  }
  if (!composed && isGiven('--seed') && options.sample === undefined) {
    throw new UsageError('--seed needs --sample, --generated or --composed. See --help.')
  }
  if (!composed && isGiven('--repeat')) throw new UsageError('--repeat needs --composed. See --help.')
  if (url !== undefined && (contract === undefined || faults === undefined)) {
    throw new UsageError('the URL of a service needs --contract and --faults. See --help.')
  }
  if (url === undefined && (contract !== undefined || scenarios.length > 0)) {
    throw new UsageError('--contract and --scenarios need the URL of a service. See --help.')
  }
}

function jsonList(chosen: readonly Fault[]): string {
  return JSON.stringify(
    chosen.map(({ name, rule, description }) => ({ name, rule, description })),
    null,
    2,
  )
}
