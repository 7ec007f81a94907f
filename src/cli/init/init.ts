import { readdir } from 'node:fs/promises'
import { relative, resolve } from 'node:path'
import { applyPlan, OutputError } from '../../codegen/index.js'
import { shellWord } from '../../conformance/index.js'
import { ContractError } from '../../contract/index.js'
import { contractMessage } from '../contract-message.js'
import { documentWords } from '../document-argument.js'
import { type CommandIo, parseOptions, UsageError } from '../io.js'
import { readToolVersions } from '../package-file.js'
import { printable } from '../printable.js'
import { folderToBuild } from './own-package.js'
import { packageName } from './package-name.js'
import { type Project, projectOf } from './project.js'
import { readDocument, readFrom } from './read-document.js'
import { sampleText } from './sample/contract.js'

const help = `Usage: concordat init [DOC] DIR [--allow-remote]

Creates an npm workspace of two packages from an OpenRPC document. The contract's package has generated code that
integrators can install. The service has handlers to implement, a server and a test. The new project compiles, starts and
passes its test without changes.

  DOC             the document with the files that it refers to: ${documentWords}
                  (default: a sample, a to-do list)
  DIR             the project's folder, new or empty; its name becomes the name of the service

  --allow-remote  fetch the http and https documents that references name
  --help          show this help

Until handlers are implemented, they return the document's examples. Methods without an example return an error.

Exit codes: 0 created, 2 failed; nothing is written then.`

/**
 * Runs `concordat init`, which creates a project from a contract.
 * @param args the arguments after the command name
 * @param io output and environment
 * @throws UsageError when arguments, document or folder are invalid; nothing is written then
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
  /** Undefined for the sample. */
  readonly document: string | undefined
  readonly folder: string
  readonly allowRemote: boolean
}

function readOptions(args: readonly string[]): InitOptions | 'help' {
  const { values, positionals } = parseArguments(args)
  if (values.help) return 'help'
  const [first, second, third] = positionals
  if (first === undefined)
    throw new UsageError('the folder is missing: concordat init [DOC] DIR. See --help.')
  if (third !== undefined) throw new UsageError('too many arguments: give DOC and DIR. See --help.')
  if (positionals.includes('')) throw new UsageError('the name of the file or folder is empty')
  const allowRemote = values['allow-remote'] === true
  return second === undefined
    ? { document: undefined, folder: first, allowRemote }
    : { document: first, folder: second, allowRemote }
}

function parseArguments(args: readonly string[]) {
  return parseOptions(args, {
    allowPositionals: true,
    options: { 'allow-remote': { type: 'boolean' }, help: { type: 'boolean', short: 'h' } },
  })
}

/** Rejects a folder with files, so that nothing is overwritten. A new Git repository is allowed. */
async function checkEmpty(folder: string, given: string): Promise<void> {
  const shown = printable(given)
  const found = await readdir(folder).catch(({ code }: NodeJS.ErrnoException) => {
    if (code === 'ENOENT') return []
    if (code === 'ENOTDIR') {
      throw new UsageError(`${shown} is a file, or inside one: give the name of a new folder`)
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
    return await projectOf({ name, document: read, isSample }, await readToolVersions())
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

/** Lists the created files, the remaining work and the next commands. */
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
    'See README.md for more.',
  ]
}
