import { readdir } from 'node:fs/promises'
import { relative, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { applyPlan, OutputError } from '../codegen/index.js'
import { shellWord } from '../conformance/index.js'
import { ContractError } from '../contract/index.js'
import { contractMessage } from './contract-message.js'
import { printable } from './diff-printable.js'
import { packageName } from './init/package-name.js'
import { type Project, projectOf } from './init/project.js'
import { type ReadDocument, readDocument } from './init/read-document.js'
import { sampleText } from './init/sample/contract.js'
import { readTools } from './init/tools.js'
import { type CommandIo, UsageError } from './io.js'

const help = `Usage: concordat init [DOC] DIR

Makes a new project from an OpenRPC document: generated code, handlers to fill in, a server, a test of it through the
typed client, and the commands to run them. It compiles, starts and passes its test before the first change.

  DOC      the document, JSON or YAML, in one file; or - for standard input (default: a sample, a to-do list)
  DIR      the new project's folder, new or empty; its name becomes the package's
  --help   this text

Handlers answer from the document's examples until they are written; methods without one say so.
Exit codes: 0 made, 2 could not; nothing is written then.`

/**
 * `concordat init`: a new project from a contract.
 * @throws UsageError where arguments, document or folder cannot be used; nothing is written then
 */
export async function initCommand(args: readonly string[], io: CommandIo): Promise<number> {
  const options = readOptions(args)
  if (options === 'help') {
    io.out(help)
    return 0
  }
  const folder = resolve(options.folder)
  const name = packageName(folder)
  await checkEmpty(folder, options.folder)
  const project = await made(name, options.document)
  await write(folder, project)
  for (const line of nextLines(project, options.folder)) io.out(line)
  return 0
}

interface InitOptions {
  /** The sample where there is none. */
  readonly document: string | undefined
  readonly folder: string
}

function readOptions(args: readonly string[]): InitOptions | 'help' {
  const { values, positionals } = parseArguments(args)
  if (values.help) return 'help'
  const [first, second, third] = positionals
  if (first === undefined) throw new UsageError('where to? concordat init [DOC] DIR; --help explains')
  if (third !== undefined) throw new UsageError('more than DOC and DIR was given; --help explains')
  if (positionals.includes('')) throw new UsageError('the name of a file or folder is empty')
  return second === undefined ? { document: undefined, folder: first } : { document: first, folder: second }
}

function parseArguments(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { help: { type: 'boolean', short: 'h' } },
    })
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause)
    const sentence = (message.split(/\.\s/)[0] ?? message).replace(/\.$/, '')
    throw new UsageError(`${sentence.replaceAll(/\s+/g, ' ')}; --help explains`, { cause })
  }
}

/** Nothing of anybody's is overwritten: a folder is new or empty. */
async function checkEmpty(folder: string, given: string): Promise<void> {
  const shown = printable(given)
  const found = await readdir(folder).catch(({ code }: NodeJS.ErrnoException) => {
    if (code === 'ENOENT') return []
    if (code === 'ENOTDIR') {
      throw new UsageError(`${shown} is a file, or lies in one: name a new folder behind the document`)
    }
    throw new UsageError(`${shown} cannot be read (${code}): choose another folder`)
  })
  if (found.length > 0) throw new UsageError(`${shown} is not empty: choose a new folder`)
}

async function made(name: string, document: string | undefined): Promise<Project> {
  try {
    const read = document === undefined ? undefined : await readDocument(document)
    return projectOf({ name, document: read ?? sample(), isSample: read === undefined }, await readTools())
  } catch (cause) {
    if (!(cause instanceof ContractError)) throw cause
    const shown = document === '-' ? 'standard input' : (document ?? 'the sample')
    const refersToOthers = cause.problems.some(({ message }) => message.includes('is another document'))
    const lines = contractMessage(shown, cause).split('\n')
    if (refersToOthers)
      lines.push('A new project takes one document that stands alone: put what it refers to into it.')
    throw new UsageError(lines.map(printable).join('\n'), { cause })
  }
}

function sample(): ReadDocument {
  return { name: 'openrpc.json', text: sampleText }
}

async function write(folder: string, { files }: Project): Promise<void> {
  try {
    await applyPlan({ folder, missing: files, stale: [], unchanged: [], left: [] })
  } catch (cause) {
    if (!(cause instanceof OutputError)) throw cause
    throw new UsageError(cause.message, { cause })
  }
}

/** What was made, what is left to do, and the next commands. */
function nextLines({ files, remarks }: Project, given: string): readonly string[] {
  const folder = relative(process.cwd(), resolve(given)) || '.'
  return [
    `${printable(given)}: ${files.length} files`,
    ...remarks.map((remark) => `  ${printable(remark)}`),
    '',
    'Next:',
    ...(folder === '.' ? [] : [`  cd ${shellWord(folder)}`]),
    '  npm install',
    '  npm start',
    '',
    'README.md tells the rest.',
  ]
}
