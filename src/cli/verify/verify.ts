import { chainFunctions } from '../../chain-functions/index.js'
import {
  type Report,
  TargetError,
  verifyExitCode,
  verifyLines,
  verifyReport,
} from '../../conformance/index.js'
import { givenSecrets } from '../conform/conform-setup.js'
import { loadSuite, type Suite } from '../conform/conform-suite.js'
import { documentWords } from '../document-argument.js'
import { type Command, type CommandIo, parseOptions, UsageError } from '../io.js'
import { printableIn } from '../printable.js'
import { readReportFile } from '../report/read-report-file.js'

const help = `Usage: concordat verify REPORT.json [options]
Judges the answers in a report of concordat conform again and lists changed verdicts, for example after a change of
the contract, the scenarios or concordat. Sends nothing.

  REPORT.json              the file of concordat conform --report json=REPORT.json; - for standard input

  --contract DOC           an OpenRPC document and the cases derived from it (default: the package's own):
                           ${documentWords}
  --allow-remote           fetch the http and https documents that references name
  --scenarios DIR          scenarios in YAML; shipped means the package's own (repeatable; default: shipped, for the
                           package's own contract)
  --help                   show this help

Truncated answers and answers with a redacted secret cannot be judged again. They are listed, and a case that failed
stays failed.

Environment:
  CONCORDAT_CONFORM_FUNDED_KEY   private key of the account for cases that signed with it; reports do not contain it

Exit codes: 0 no failures, 1 a case fails, or failed and cannot be judged again, 2 could not judge.`

/**
 * Runs `concordat verify`, which judges the answers in a report again.
 * @param args the arguments after the command name
 * @param io output and environment
 * @returns 0 no failures, 1 a case fails, 2 nothing could be judged
 * @throws UsageError when arguments or files are invalid
 */
export const verifyCommand: Command = async (args, io) => {
  const { values, positionals } = parse(args)
  if (values.help) {
    io.out(help)
    return 0
  }
  const [file, more] = positionals
  if (file === undefined) throw new UsageError('the report is missing. See --help.')
  if (more !== undefined)
    throw new UsageError('more than one argument was given: give one report. See --help.')
  const report = await readReportFile(file)
  const suite = await loadSuite({
    document: values.contract,
    folders: values.scenarios,
    allowRemote: values['allow-remote'],
  })
  return verify(report, suite, io)
}

async function verify(report: Report, suite: Suite, io: CommandIo): Promise<number> {
  const { contract, scenarios, invariants, sha256 } = suite
  const { variables } = givenSecrets(io)
  const options = { contract, scenarios, invariants, functions: chainFunctions, variables }
  const verification = await verifyReport(report, options).catch((cause: unknown) => {
    if (!(cause instanceof TargetError)) throw cause
    throw new UsageError(`the report does not match the contract: ${cause.message}`, { cause })
  })
  const colours = process.stdout.isTTY === true && !io.env['NO_COLOR']
  const { title, version } = contract
  const { started, target, contract: then } = report
  const shown = printableIn({ report: { started, target, contract: then }, verification })
  io.out(verifyLines(shown.report, shown.verification, { title, version, sha256 }, colours).join('\n'))
  const code = verifyExitCode(verification)
  if (code === 2) io.err('concordat verify: no case could be judged again')
  return code
}

function parse(args: readonly string[]) {
  const text = { type: 'string' } as const
  const options = {
    contract: text,
    scenarios: { type: 'string', multiple: true },
    'allow-remote': { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  } as const
  return parseOptions(args, { options, allowPositionals: true })
}
