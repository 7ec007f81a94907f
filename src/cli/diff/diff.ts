import {
  type Change,
  type Contract,
  ContractError,
  diffContracts,
  loadContract,
} from '../../contract/index.js'
import { contractMessage } from '../contract-message.js'
import { type CommandIo, parseOptions, UsageError } from '../io.js'
import { diffJson } from './diff-json.js'
import { diffMarkdown } from './diff-markdown.js'
import { diffText } from './diff-text.js'

const help = `Usage: concordat diff OLD NEW [--format text|json|markdown] [--allow-remote]

Reports every change between two OpenRPC documents and whom it breaks: clients, which send parameters and read
results and errors; servers, which implement the contract; both; or neither (compatible). Changes whose effect cannot
be determined count as breaking both.

  OLD, NEW         the documents: JSON or YAML, or a folder with openrpc.json; - reads one of them from standard input

  --format NAME    text (default), json, or markdown (a section for a changelog)
  --allow-remote   fetch the http and https documents that references name
  --help           show this help

JSON: { schema: "concordat-diff/1", old: { title, version }, new: { title, version }, changes, summary }, where summary
counts { changes, breakingForClients, breakingForServers, compatible } and each change has
  class       ["compatible"], or one or both of "breaking-for-clients" and "breaking-for-servers"
  kind        the kind of change, such as "param-required"
  pointer     the place, with methods by name
  old, new    { pointer, value }: the place in each document, if it exists there, and its value if it is small
  reason      the change in words
  undecided   true if a person has to review the change
  methods     the methods that a shared change affects; usedIn: "params", "results"

Exit codes: 0 nothing breaking, 1 something breaking, 2 could not run.`

const formats: Readonly<
  Record<string, (old: Contract, next: Contract, changes: readonly Change[]) => readonly string[]>
> = {
  text: (_old, _next, changes) => diffText(changes),
  json: (old, next, changes) => [diffJson(old, next, changes)],
  markdown: diffMarkdown,
}

/**
 * Runs `concordat diff`, which compares two contracts.
 * @param args the arguments after the command name
 * @param io output and environment
 * @returns 0, or 1 if a change breaks clients or servers
 * @throws UsageError when arguments or documents are invalid
 */
export async function diffCommand(args: readonly string[], io: CommandIo): Promise<number> {
  const { values, positionals } = parseArguments(args)
  if (values.help) {
    io.out(help)
    return 0
  }
  const [old = '', next = '', ...others] = positionals
  if (old === '' || next === '' || others.length > 0) {
    throw new UsageError('two documents are needed: concordat diff OLD NEW. See --help.')
  }
  if (old === '-' && next === '-') throw new UsageError('only one document can come from standard input')
  const name = values.format ?? 'text'
  const format = Object.hasOwn(formats, name) ? formats[name] : undefined
  if (!format) throw new UsageError(`--format takes ${Object.keys(formats).join(', ')}, not "${name}"`)
  const allowRemote = values['allow-remote'] === true
  const [before, after] = [await load(old, allowRemote), await load(next, allowRemote)]
  const changes = diffContracts(before, after)
  for (const line of format(before, after, changes)) io.out(line)
  return changes.some(({ breaks }) => breaks.length > 0) ? 1 : 0
}

function parseArguments(args: readonly string[]) {
  return parseOptions(args, {
    allowPositionals: true,
    options: {
      format: { type: 'string' },
      'allow-remote': { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    },
  })
}

async function load(source: string, allowRemote: boolean): Promise<Contract> {
  try {
    return await loadContract(source, { allowRemote })
  } catch (cause) {
    if (!(cause instanceof ContractError)) throw cause
    throw new UsageError(await contractMessage(source, cause), { cause })
  }
}
