import {
  ContractError,
  documentPath,
  isServiceUrl,
  type LoadOptions,
  loadDocuments,
  readContract,
  sourcePositions,
} from '../../toolkit/contract/index.js'
import { createWitnessSearch, diffContracts, provenParties } from '../../toolkit/diff/index.js'
import { printable } from '../../toolkit/text/index.js'
import { configName, readConfig } from '../config/project-config.js'
import { contractMessage, shownSource } from '../contract-message.js'
import { defineCommand, type InvocationOf, oneOf, type Program } from '../define-command.js'
import { allowRemoteOption, documentWords, folderOf, projectDocument } from '../document-argument.js'
import { formatOption } from '../format-option.js'
import { UsageError } from '../io.js'
import { readToolVersions } from '../package-file.js'
import { type ReviewedChange, reviewed } from './accepted-changes.js'
import { diffFormats } from './diff-output.js'
import type { DiffSide } from './diff-report.js'
import { atRevision, type GitDocument, gitDocument, gitReader } from './git-document.js'

const define = (program: Program) =>
  program
    .usage('[options] OLD NEW\n       concordat diff --against REV [options] [DOC]')
    .argument(
      '[OLD]',
      `${documentWords}; git:REV:PATH is a file at a Git revision, and git:REV the project's document there`,
    )
    .argument('[NEW]', 'the same')
    .option(
      '--against <REV>',
      `compare DOC, the document of the working tree (default: the project's document), with the one at a Git revision,
      such as main or HEAD~1`,
    )
    .option(
      '--fail-on <WHOM>',
      'exit with 1 for changes that break clients (default), servers, or any of them',
      oneOf('clients', 'servers', 'any'),
    )
    .option(
      '--undecided <RULE>',
      `exit with 1 for undecided changes, as if they broke the chosen parties (fail, default), or not (pass)`,
      oneOf('fail', 'pass'),
    )
    .option(
      '--allow-unwitnessed',
      'exit with 0 for changes of schemas that a rule calls breaking, where no value was found that shows it',
    )
    .option(...formatOption)
    .option(
      '--config <FILE>',
      `the project's settings (default: the nearest ${configName} at or above NEW); "diff" has failOn, undecided and
      accepted: changes that a version makes on purpose, each with a reason`,
    )
    .option(...allowRemoteOption)

/** Runs `concordat diff`, which compares two contracts. */
export const diffCommand = defineCommand({
  name: 'diff',
  description: `Reports every change between two OpenRPC documents and whom it breaks: clients, which send parameters and
read results and errors; servers, which implement the contract; both; or neither (compatible). Values that only one
of the documents accepts show the effect of changed schemas. Without such a value, changes that no rule decides are
undecided, and others are breaking by rule. docs/compatibility.md states the rule and lists the kinds of changes.`,
  define,
  examples: [
    { says: 'two documents', line: 'concordat diff old.json new.json' },
    {
      says: 'the working tree and main, for a pull request',
      line: 'concordat diff --against main --format markdown',
    },
  ],
  notes: `JSON: { schema: "concordat-diff/1", old: { title, version }, new: { title, version }, changes, summary }, where
summary has { changes, breakingForClients, breakingForServers, undecided, compatible, accepted, bump, version } and each change has
  class       ["compatible"], or one or both of "breaking-for-clients" and "breaking-for-servers"
  kind        the kind of change, such as "param-required"
  pointer     the place, with methods by name
  old, new    { pointer, value }: the place in each document, if it exists there, and its value if it is small
  reason      the change in words
  undecided   true if a person has to review the change: nothing proves its effect on a party of "class"
  unwitnessed true if a rule alone says whom a changed schema breaks: no value was found that shows it
  proof       values that only one document accepts: { value, acceptedBy: "old" or "new", breaks: "clients", "servers" }
  methods     the methods that a shared change affects; usedIn: "params", "results"
  accepted    the reason why the project accepts a breaking change

Exit codes: 0 nothing breaks the chosen parties, or all of it is accepted; 1 something breaks, or is undecided unless
--undecided pass is given; 2 could not run.`,
  run: diff,
})

async function diff({ args, options, io }: Invoked): Promise<number> {
  const { format = 'text', allowRemote, allowUnwitnessed = false } = options
  const warn = (line: string) => io.err(printable(`concordat diff: ${line}`))
  const [old, next] = await sources(args, options)
  const folder = typeof next === 'string' ? await folderOf(next) : process.cwd()
  const config = await readConfig(options.config, folder)
  const failOn = options.failOn ?? config.diff?.failOn ?? 'clients'
  const rule = options.undecided ?? config.diff?.undecided ?? 'fail'
  const isFailure = (change: ReviewedChange) => {
    if (change.unwitnessed && allowUnwitnessed) return false
    const parties = rule === 'pass' ? provenParties(change) : change.breaks
    return change.accepted === undefined && (failOn === 'any' ? parties.length > 0 : parties.includes(failOn))
  }
  const [before, after] = [await load(old, allowRemote), await load(next, allowRemote)]
  const found = diffContracts(
    before.contract,
    after.contract,
    createWitnessSearch(before.contract, after.contract),
  )
  const { changes, idle } = reviewed(found, config, after.contract.version)
  const { version } = await readToolVersions()
  const report = { old: before, next: after, changes, isFailure, version }
  for (const line of diffFormats[format](report)) io.out(line)
  for (const { kind = 'any change', at = 'any place', version: expected } of idle) {
    warn(`no breaking change matches the accepted ${kind} at ${at} of version ${expected}: remove the entry`)
  }
  return changes.some(isFailure) ? 1 : 0
}

type Invoked = InvocationOf<typeof define>

/** A document argument, or a document at a Git revision. */
type Source = string | GitDocument

/** Returns the two documents that the arguments name. */
async function sources(
  [first, second]: Invoked['args'],
  { against, config }: Invoked['options'],
): Promise<readonly [Source, Source]> {
  const project = async (named?: string) => (await projectDocument(named, { config })).source
  if (against !== undefined) {
    if (second !== undefined) throw new UsageError('--against needs one document. See --help.')
    const document = await project(first)
    if (document === '-' || isServiceUrl(document)) throw new UsageError('--against needs a file')
    return [await atRevision(against, async () => document), document]
  }
  if (first === undefined || second === undefined) {
    throw new UsageError('two documents are needed: concordat diff OLD NEW. See --help.')
  }
  if (first === '-' && second === '-') throw new UsageError('only one document can come from standard input')
  return [(await gitDocument(first, project)) ?? first, (await gitDocument(second, project)) ?? second]
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
