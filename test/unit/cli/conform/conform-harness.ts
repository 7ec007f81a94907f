import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Test } from 'tap'
import type { CommandIo } from '../../../../src/cli/io.js'
import { main } from '../../../../src/cli/main.js'
import { type Answer, type Call, startDeployment } from '../../judge/run/deployment.js'
import { library } from '../../judge/run/library.js'
import { libraryContract } from '../../judge/run/library-contract.js'
import { type Files, scenarioFolder } from '../../judge/run/run-suite.js'

/** The output of a command and its exit code. */
export interface Written {
  readonly code: number
  readonly out: string
  readonly err: string
}

/** Runs `concordat conform` in this process. */
export function conform(args: readonly string[], env: CommandIo['env'] = {}): Promise<Written> {
  return runCommand('conform', args, env)
}

/** Runs a command in this process. */
export async function runCommand(
  name: string,
  args: readonly string[],
  env: CommandIo['env'] = {},
): Promise<Written> {
  const out: string[] = []
  const err: string[] = []
  const io: CommandIo = { out: (line) => out.push(line), err: (line) => err.push(line), env }
  const code = await main([name, ...args], io)
  return { code, out: out.join('\n'), err: err.join('\n') }
}

/** The case of most tests: it passes on a library without a seventh book. */
export const passing = `
scenario: A book that is not there is null.
rule: books.missing-null
steps:
  - call: book
    params: [7]
    expect: { result: null }
`

/** A library with its contract and scenarios in a folder. */
export async function libraryService(
  t: Test,
  files: Files,
  answers: Readonly<Record<string, (call: Call) => Answer>> = {},
) {
  const scenarios = await scenarioFolder(t, files)
  const elsewhere = await scenarioFolder(t, {})
  const contract = join(elsewhere, 'library.json')
  await writeFile(contract, JSON.stringify(libraryContract))
  const deployment = await startDeployment(t, library(answers))
  const suite = ['--contract', contract, '--scenarios', scenarios]
  return {
    deployment,
    /** A folder for the output of the run. */
    folder: elsewhere,
    contract,
    suite,
    /** Only the hand-written scenarios. Other tests cover the derived cases. */
    written: [...suite, '--only', 'books/*'],
    run: (args: readonly string[] = [], env: CommandIo['env'] = {}) =>
      conform([deployment.url, ...suite, '--only', 'books/*', ...args], env),
  }
}
