import {
  ContractError,
  diffContracts,
  documentPath,
  isServiceUrl,
  type LoadOptions,
  loadDocuments,
  readContract,
  sourcePositions,
} from '../../contract/index.js'
import type { ConfigContent } from '../config/config-content.js'
import { configName, readConfig } from '../config/project-config.js'
import { contractMessage, shownSource } from '../contract-message.js'
import { documentWords, folderOf, projectDocument } from '../document-argument.js'
import { type CommandIo, parseOptions, UsageError } from '../io.js'
import { readToolVersions } from '../package-file.js'
import { printable } from '../printable.js'
import { formatOf, formatWords } from '../report/report-item.js'
import { type ReviewedChange, reviewed } from './accepted-changes.js'
import { diffFormats } from './diff-output.js'
import type { DiffSide } from './diff-report.js'
import { atRevision, type GitDocument, gitDocument, gitReader } from './git-document.js'

type FailOn = NonNullable<NonNullable<ConfigContent['diff']>['failOn']>

const help = `Usage: concordat diff OLD NEW [--fail-on clients|servers|any] [--format NAME] [--config FILE] [--allow-remote]
       concordat diff --against REV [DOC] [options]

Reports every change between two OpenRPC documents and whom it breaks: clients, which send parameters and read
results and errors; servers, which implement the contract; both; or neither (compatible). Changes whose effect cannot
be determined count as breaking both. docs/compatibility.md states the rule and lists the kinds of changes.

  OLD, NEW         ${documentWords};
                   git:REV:PATH is a file at a Git revision, and git:REV the project's document there
  DOC              the document of the working tree (default: the project's document)

  --against REV    compare with DOC at a Git revision, such as main or HEAD~1
  --fail-on WHOM   exit with 1 for changes that break clients (default), servers, or any of them
  --format NAME    ${formatWords}
  --config FILE    the project's settings (default: the nearest ${configName} at or above NEW); "diff" has failOn and
                   accepted: changes that a version makes on purpose, each with a reason
  --allow-remote   fetch the http and https documents that references name
  --help           show this help

JSON: { schema: "concordat-diff/1", old: { title, version }, new: { title, version }, changes, summary }, where summary
has { changes, breakingForClients, breakingForServers, compatible, accepted, bump, version } and each change has
  class       ["compatible"], or one or both of "breaking-for-clients" and "breaking-for-servers"
  kind        the kind of change, such as "param-required"
  pointer     the place, with methods by name
  old, new    { pointer, value }: the place in each document, if it exists there, and its value if it is small
  reason      the change in words
  undecided   true if a person has to review the change
  methods     the methods that a shared change affects; usedIn: "params", "results"
  accepted    the reason why the project accepts a breaking change

Exit codes: 0 nothing breaks the chosen parties, or all of it is accepted; 1 something breaks; 2 could not run.`

const options = {
  against: { type: 'string' },
  'fail-on': { type: 'string' },
  format: { type: 'string' },
  config: { type: 'string' },
  'allow-remote': { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const

/**
 * Runs `concordat diff`, which compares two contracts.
 * @param args the arguments after the command name
 * @param io output and environment
 * @returns 0, or 1 if a change that is not accepted breaks the parties of `--fail-on`
 * @throws UsageError when arguments or documents are invalid
 */
export async function diffCommand(args: readonly string[], io: CommandIo): Promise<number> {
  const { values, positionals } = parseOptions(args, { options, allowPositionals: true })
  if (values.help) {
    io.out(help)
    return 0
  }
  const format = formatOf(values.format)
  const given = failOnOf(values['fail-on'])
  const warn = (line: string) => io.err(printable(`concordat diff: ${line}`))
  const [old, next] = await sources(positionals, values.against, values.config)
  const folder = typeof next === 'string' ? await folderOf(next) : process.cwd()
  const config = await readConfig(values.config, folder)
  const failOn = given ?? config.diff?.failOn ?? 'clients'
  const isFailure = ({ breaks, accepted }: ReviewedChange) =>
    accepted === undefined && (failOn === 'any' ? breaks.length > 0 : breaks.includes(failOn))
  const allowRemote = values['allow-remote'] === true
  const [before, after] = [await load(old, allowRemote), await load(next, allowRemote)]
  const found = diffContracts(before.contract, after.contract)
  const { changes, idle } = reviewed(found, config, after.contract.version)
  const { version } = await readToolVersions()
  const report = { old: before, next: after, changes, isFailure, version }
  for (const line of diffFormats[format](report)) io.out(line)
  for (const { kind = 'any change', at = 'any place', version: expected } of idle) {
    warn(`no breaking change matches the accepted ${kind} at ${at} of version ${expected}: remove the entry`)
  }
  return changes.some(isFailure) ? 1 : 0
}

function failOnOf(text: string | undefined): FailOn | undefined {
  if (text === undefined || text === 'clients' || text === 'servers' || text === 'any') return text
  throw new UsageError(`--fail-on takes clients, servers or any, not "${text}"`)
}

/** A document argument, or a document at a Git revision. */
type Source = string | GitDocument

/** Returns the two documents that the arguments name. */
async function sources(
  positionals: readonly string[],
  against: string | undefined,
  config: string | undefined,
): Promise<readonly [Source, Source]> {
  const project = async (args: readonly string[]) => (await projectDocument(args, { config })).source
  if (against !== undefined) {
    const document = await project(positionals)
    if (document === '-' || isServiceUrl(document)) throw new UsageError('--against needs a file')
    return [await atRevision(against, async () => document), document]
  }
  const [old = '', next = '', ...others] = positionals
  if (old === '' || next === '' || others.length > 0) {
    throw new UsageError('two documents are needed: concordat diff OLD NEW. See --help.')
  }
  if (old === '-' && next === '-') throw new UsageError('only one document can come from standard input')
  const own = () => project([])
  return [(await gitDocument(old, own)) ?? old, (await gitDocument(next, own)) ?? next]
}

async function load(source: Source, allowRemote: boolean): Promise<DiffSide> {
  const isGit = typeof source !== 'string'
  const path = isGit ? source.path : source
  const loadOptions: LoadOptions = { allowRemote, ...(isGit && { readFile: gitReader(source.revision) }) }
  try {
    const documents = await loadDocuments(path, loadOptions)
    const file = isGit || path === '-' ? shownSource(path) : shownSource(await documentPath(path))
    return { contract: readContract(documents), file, find: sourcePositions(documents.all()) }
  } catch (cause) {
    if (!(cause instanceof ContractError)) throw cause
    throw new UsageError(await contractMessage(path, cause), { cause })
  }
}
