import { stat } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import {
  applyPlan,
  type Generated,
  generate,
  isStale,
  OutputError,
  type Part,
  parts,
  planWrite,
  type WritePlan,
} from '../../codegen/index.js'
import { type Contract, ContractError, loadContract, problemText } from '../../contract/index.js'
import { readPackageFile } from '../../util/package-file.js'
import { contractMessage } from '../contract-message.js'
import { defaultDocument, defaultDocumentWords } from '../default-document.js'
import { type CommandIo, UsageError } from '../io.js'
import { printable } from '../printable.js'
import { dryRunLines } from './generate-dry-run.js'

const help = `Usage: concordat generate [DOC] [--out DIR] [--only PARTS] [--check | --dry-run] [--allow-remote]

Writes TypeScript (types, method descriptors, validators, errors, the service's interface), and a reference page
from an OpenRPC document. Only what changed is written; files of an earlier run that are no longer made are removed;
files that it did not make are never touched.

  DOC             the OpenRPC document, JSON or YAML, with the files that it refers to; a folder with one; or -
                  for standard input (default: ${defaultDocumentWords})
  --out DIR       where to write (default: the folder "generated" beside DOC)
  --only PARTS    the parts to write, separated by commas; all other files are left alone. Parts:
                  ${parts.join(', ')}
  --check         write nothing; exit 1 and name the files where DIR is not what DOC makes
  --dry-run       write nothing; say what would be done, and show what would change in each file
  --allow-remote  fetch the http and https documents that references name
  --help          this text

Exit codes: 0 success, 1 problems in DOC, or stale (--check), 2 could not run.`

/**
 * `concordat generate`: code from a contract.
 * @returns 0, or 1 where the contract has problems, or `--check` finds the folder stale
 * @throws UsageError when the arguments or the folder are invalid, or the document cannot be read
 */
export async function generateCommand(args: readonly string[], io: CommandIo): Promise<number> {
  const { values, positionals } = parseArguments(args)
  if (values.help) {
    io.out(help)
    return 0
  }
  const document = positionals[0] ?? (await defaultDocument())
  const folder = resolve(values.out ?? join(await folderOf(document), 'generated'))
  const planned = await makePlan(document, folder, {
    allowRemote: values['allow-remote'] === true,
    only: values.only === undefined ? undefined : partsOf(values.only),
  })
  if (planned instanceof ContractError) {
    io.err(`concordat generate: ${await contractMessage(document, planned)}`)
    return 1
  }
  const { plan, leftOut } = planned
  if (values.check) return report(plan, io)
  for (const problem of leftOut) io.err(`warning: ${printable(problemText(problem))}`)
  const isDry = values['dry-run'] === true
  if (!isDry) await refusing(() => applyPlan(plan))
  for (const line of isDry ? dryRunLines(plan) : changes(plan, writing)) io.out(line)
  io.out(summary(plan, isDry))
  return 0
}

function parseArguments(args: readonly string[]) {
  try {
    const parsed = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        out: { type: 'string' },
        only: { type: 'string' },
        check: { type: 'boolean' },
        'dry-run': { type: 'boolean' },
        'allow-remote': { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    })
    const [first, second] = parsed.positionals
    if (second !== undefined) throw new UsageError(`one document at a time: "${first}" or "${second}"?`)
    if (first === '') throw new UsageError('the name of the document is empty')
    if (parsed.values.out === '') throw new UsageError('--out needs a folder')
    if (parsed.values.check && parsed.values['dry-run']) {
      throw new UsageError('--check and --dry-run do not go together')
    }
    return parsed
  } catch (cause) {
    if (cause instanceof UsageError) throw cause
    const message = cause instanceof Error ? cause.message : String(cause)
    throw new UsageError(`${(message.split(/\.\s/)[0] ?? message).replace(/\.$/, '')}; --help explains`, {
      cause,
    })
  }
}

/** Reads the value of `--only`: names of parts, separated by commas. */
function partsOf(text: string): readonly Part[] {
  return text.split(',').map((name) => {
    const part = parts.find((one) => one === name.trim())
    if (part === undefined) throw new UsageError(`--only: unknown part "${name}"; parts: ${parts.join(', ')}`)
    return part
  })
}

/** The folder that a document lies in, or that it is; that of standard input is the current one. */
async function folderOf(document: string): Promise<string> {
  if (document === '-') return '.'
  const isFolder = await stat(document).then(
    (found) => found.isDirectory(),
    () => false,
  )
  return isFolder ? document : dirname(document)
}

/** What writing would do, and what of the contract has no place in what is written. */
interface Planned extends Pick<Generated, 'leftOut'> {
  readonly plan: WritePlan
}

/** The plan, or the problems of the contract. */
function makePlan(
  document: string,
  folder: string,
  { allowRemote, only }: { readonly allowRemote: boolean; readonly only: readonly Part[] | undefined },
): Promise<Planned | ContractError> {
  return refusing(async () => {
    try {
      const contract: Contract = await loadContract(document, { allowRemote })
      const tool = { name: 'concordat', version: await toolVersion() }
      const { files, leftOut } = generate(contract, tool, only)
      const plan = await planWrite(folder, files, tool.name)
      return { plan: only === undefined ? plan : { ...plan, left: [] }, leftOut }
    } catch (cause) {
      if (!(cause instanceof ContractError)) throw cause
      if (cause.problems.every(({ pointer }) => pointer !== '')) return cause
      throw new UsageError(await contractMessage(document, cause), { cause })
    }
  })
}

/** What stops an output folder from being used is told in one line. */
async function refusing<Value>(work: () => Promise<Value>): Promise<Value> {
  try {
    return await work()
  } catch (cause) {
    if (!(cause instanceof OutputError)) throw cause
    throw new UsageError(cause.message, { cause })
  }
}

function report(plan: WritePlan, io: CommandIo): number {
  if (!isStale(plan)) {
    io.out(`${shown(plan.folder)} is current: ${plan.unchanged.length} files`)
    return 0
  }
  for (const line of changes(plan, checking)) io.out(line)
  io.err(`concordat generate: ${shown(plan.folder)} is not what the contract makes: run "concordat generate"`)
  return 1
}

/** What a file is called that is not there yet, that is another now, and that is made no more. */
type Words = Readonly<Record<'missing' | 'stale' | 'left', string>>

const writing: Words = { missing: 'new', stale: 'changed', left: 'removed' }
const checking: Words = { missing: 'missing', stale: 'stale', left: 'left' }

function changes({ missing, stale, left }: WritePlan, words: Words): readonly string[] {
  const line = (word: string, path: string) => `${word.padEnd(8)} ${path}`
  return [
    ...missing.map(({ path }) => line(words.missing, path)),
    ...stale.map(({ path }) => line(words.stale, path)),
    ...left.map((path) => line(words.left, path)),
  ]
}

function summary({ folder, missing, stale, left, unchanged }: WritePlan, dryRun: boolean): string {
  const written = missing.length + stale.length
  const verb = dryRun ? 'would be ' : ''
  return `${shown(folder)}: ${written} ${verb}written, ${left.length} ${verb}removed, ${unchanged.length} unchanged`
}

function shown(path: string): string {
  const short = relative(process.cwd(), path)
  return short === '' ? '.' : short.startsWith('..') ? path : short
}

async function toolVersion(): Promise<string> {
  const { version } = JSON.parse((await readPackageFile('package.json')).toString('utf8'))
  return version
}
