import { chainFunctions } from '../../judge/functions/index.js'
import { TargetError, verifyExitCode, verifyLines, verifyReport } from '../../judge/index.js'
import { printableIn } from '../../toolkit/text/index.js'
import { ioDirOption, membersOption } from '../conform/conform-options.js'
import { givenSecrets } from '../conform/conform-setup.js'
import { loadSuite } from '../conform/conform-suite.js'
import { defineCommand, type InvocationOf, type Program } from '../define-command.js'
import { allowRemoteOption, contractOption, scenariosOption } from '../document-argument.js'
import { UsageError } from '../io.js'
import { readReportFile } from '../read-report-file.js'

const define = (program: Program) =>
  program
    .argument(
      '<REPORT.json>',
      'the file of concordat conform --report json=REPORT.json; - for standard input',
    )
    .option(...contractOption)
    .option(...allowRemoteOption)
    .option(...scenariosOption)
    .option(...ioDirOption)
    .option(...membersOption)

/** Runs `concordat verify`, which judges the answers in a report again. */
export const verifyCommand = defineCommand({
  name: 'verify',
  description: `Judges the answers in a report of concordat conform again and lists changed verdicts, for example after a
change of the contract, the scenarios or concordat. Sends nothing.`,
  define,
  examples: [
    { says: 'judge the answers of a report again', line: 'concordat verify report.json' },
    { says: 'with a newer contract', line: 'concordat verify report.json --contract openrpc.json' },
  ],
  notes: `Truncated answers and answers with a redacted secret cannot be judged again. They are listed, and a case that
failed stays failed.

Environment:
  CONCORDAT_CONFORM_FUNDED_KEY  private key of the account for cases that signed with it; reports do not contain it

Exit codes: 0 no failures, 1 a case fails, or failed and cannot be judged again, 2 could not judge.`,
  run: verify,
})

async function verify({ args: [file], options, io }: InvocationOf<typeof define>): Promise<number> {
  const { contract: document, scenarios: folders, allowRemote, ioDir, members: listedMembers } = options
  const report = await readReportFile(file)
  const { url } = report.target
  const suite = await loadSuite({ document, folders, allowRemote, ioDir, listedMembers, url })
  const { contract, checks, scenarios, invariants, sha256 } = suite
  const { variables } = givenSecrets(io)
  const rules = { contract, checks, scenarios, invariants, functions: chainFunctions, variables }
  const verification = await verifyReport(report, rules).catch((cause: unknown) => {
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
