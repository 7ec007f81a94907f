import { readdir } from 'node:fs/promises'
import { relative, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { applyPlan, OutputError } from '../../codegen/index.js'
import { shellWord } from '../../conformance/index.js'
import { ContractError } from '../../contract/index.js'
import { contractMessage } from '../contract-message.js'
import { type CommandIo, UsageError } from '../io.js'
import { printable } from '../printable.js'
import { folderToBuild } from './own-package.js'
import { packageName } from './package-name.js'
import { type Project, projectOf } from './project.js'
import { readDocument, readFrom } from './read-document.js'
import { sampleText } from './sample/contract.js'
import { readTools } from './tools.js'

const help = `Usage: concordat init [DOC] DIR [--allow-remote]

Makes a new project from an OpenRPC document: generated code, handlers to fill in, a server, a test of it through the
typed client, and the commands to run them. It compiles, starts and passes its test before the first change.

  DOC             the document, JSON or YAML, with the files that it refers to; a folder with openrpc.json; or - for
                  standard input (default: a sample, a to-do list)
  DIR             the new project's folder, new or empty; its name becomes the package's
  --allow-remote  fetch the http and https documents that references name
  --help          this text

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
  await checkEmpty(folder, options.folder)
  const project = await made(packageName(folder), options)
  await write(folder, project)
  for (const line of nextLines(project, options.folder)) io.out(line)
  return 0
}

interface InitOptions {
  /** The sample where there is none. */
  readonly document: string | undefined
  readonly folder: string
  readonly allowRemote: boolean
}

function readOptions(args: readonly string[]): InitOptions | 'help' {
  const { values, positionals } = parseArguments(args)
  if (values.help) return 'help'
  const [first, second, third] = positionals
  if (first === undefined) throw new UsageError('where to? concordat init [DOC] DIR; --help explains')
  if (third !== undefined) throw new UsageError('more than DOC and DIR was given; --help explains')
  if (positionals.includes('')) throw new UsageError('the name of a file or folder is empty')
  const allowRemote = values['allow-remote'] === true
  return second === undefined
    ? { document: undefined, folder: first, allowRemote }
    : { document: first, folder: second, allowRemote }
}

function parseArguments(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { 'allow-remote': { type: 'boolean' }, help: { type: 'boolean', short: 'h' } },
    })
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause)
    const sentence = (message.split(/\.\s/)[0] ?? message).replace(/\.$/, '')
    throw new UsageError(`${sentence.replaceAll(/\s+/g, ' ')}; --help explains`, { cause })
  }
}

/** Nothing of anybody's is overwritten: a folder is new or empty, but for a repository that was just begun. */
async function checkEmpty(folder: string, given: string): Promise<void> {
  const shown = printable(given)
  const found = await readdir(folder).catch(({ code }: NodeJS.ErrnoException) => {
    if (code === 'ENOENT') return []
    if (code === 'ENOTDIR') {
      throw new UsageError(`${shown} is a file, or lies in one: name a new folder behind the document`)
    }
    throw new UsageError(`${shown} cannot be read (${code}): choose another folder`)
  })
  if (found.some((name) => name !== '.git')) {
    throw new UsageError(`${shown} is not empty: choose a new folder`)
  }
}

async function made(name: string, { document, allowRemote }: InitOptions): Promise<Project> {
  const isSample = document === undefined
  try {
    const read = isSample
      ? await readFrom({ path: 'openrpc.json', text: sampleText }, false)
      : await readDocument(document, allowRemote)
    return projectOf({ name, document: read, isSample }, await readTools())
  } catch (cause) {
    if (!(cause instanceof ContractError)) throw cause
    throw new UsageError(await contractMessage(document ?? 'the sample', cause), { cause })
  }
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
    ...(folderToBuild === undefined
      ? []
      : [
          `  npm run build --prefix ${shellWord(folderToBuild)}   # compiles concordat, which the project uses from there`,
        ]),
    ...(folder === '.' ? [] : [`  cd ${shellWord(folder)}`]),
    '  npm install',
    '  npm start',
    '',
    'README.md tells the rest.',
  ]
}
