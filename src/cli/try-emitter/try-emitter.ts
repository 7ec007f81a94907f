import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { EmitterError, type EmitterOptions, type EmitterPlugin, runEmitter } from '../../codegen/index.js'
import { ContractError, isObject, isServiceUrl, type JsonValue, loadContract } from '../../contract/index.js'
import { contractMessage, shownSource } from '../contract-message.js'
import { loadEmitter } from '../emitters/load-emitter.js'
import { type CommandIo, parseOptions, UsageError } from '../io.js'
import { readToolVersions } from '../package-file.js'
import { printable } from '../printable.js'

const help = `Usage: concordat try-emitter PLUGIN DOC... [--options JSON] [--allow-remote]

Runs an emitter plug-in on OpenRPC documents without writing files. Prints the number of files and bytes for each
document, or the error. Each document is emitted twice, and a difference is an error.

  PLUGIN          the emitter: the name of a package, or a path that starts with ./ or /
  DOC             a document, the URL of a service that answers rpc.discover, or a folder: all of its documents

  --options JSON  what the emitter receives as options, a JSON object
  --allow-remote  fetch the http and https documents that references name
  --help          show this help

Exit codes: 0 success, 1 a document or the emitter failed, 2 could not run.`

/**
 * Runs `concordat try-emitter`, which tries an emitter plug-in on documents.
 * @param args the arguments after the command name
 * @param io output and environment
 * @returns 0, or 1 if any document cannot be read or emitted
 * @throws UsageError when the arguments are invalid, or the plug-in cannot be loaded
 */
export async function tryEmitterCommand(args: readonly string[], io: CommandIo): Promise<number> {
  const { values, positionals } = parseOptions(args, {
    allowPositionals: true,
    options: {
      options: { type: 'string' },
      'allow-remote': { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    },
  })
  if (values.help) {
    io.out(help)
    return 0
  }
  const [use, ...sources] = positionals
  if (use === undefined || sources.length === 0) throw new UsageError('give an emitter and a document')
  const emitter = await loadEmitter({ use, options: optionsOf(values.options) }, process.cwd())
  const documents = (await Promise.all(sources.map(documentsIn))).flat()
  const tool = { name: 'concordat', version: (await readToolVersions()).version }
  const allowRemote = values['allow-remote'] === true
  let failed = 0
  for (const document of documents) {
    const shown = printable(shownSource(document))
    try {
      io.out(`ok      ${shown}  ${await tried(emitter, document, allowRemote, tool)}`)
    } catch (cause) {
      failed++
      io.out(`failed  ${shown}  ${await failure(document, cause)}`)
    }
  }
  io.out(`${documents.length - failed} of ${documents.length} documents emitted`)
  return failed === 0 ? 0 : 1
}

function optionsOf(text = '{}'): EmitterOptions {
  try {
    const value: JsonValue = JSON.parse(text)
    if (isObject(value)) return value
  } catch {
    // Invalid JSON gets the same error as JSON that is not an object.
  }
  throw new UsageError('--options takes a JSON object, such as {"package":"orders"}')
}

/** Returns the documents of an argument: the JSON and YAML files of a folder, or the argument. */
async function documentsIn(source: string): Promise<readonly string[]> {
  if (source === '-' || isServiceUrl(source)) return [source]
  const isFolder = await stat(source).then(
    (found) => found.isDirectory(),
    () => false,
  )
  if (!isFolder) return [source]
  const names = (await readdir(source)).filter((name) => /\.(json|ya?ml)$/.test(name)).sort()
  if (names.length === 0) throw new UsageError(`${source} has no JSON or YAML file`)
  return names.map((name) => join(source, name))
}

async function tried(
  emitter: EmitterPlugin,
  document: string,
  allowRemote: boolean,
  tool: { readonly name: string; readonly version: string },
): Promise<string> {
  const contract = await loadContract(document, { allowRemote })
  const files = await runEmitter(emitter, contract, tool)
  const again = await runEmitter(emitter, contract, tool)
  const differing = files.find(({ path, content }, at) => {
    const other = again[at]
    return other?.path !== path || other.content !== content
  })
  if (differing !== undefined || files.length !== again.length) {
    const what = differing === undefined ? 'more files' : `another ${differing.path}`
    throw new EmitterError(`emitter ${emitter.name}: a second run returned ${what}`)
  }
  const bytes = files.reduce((sum, { content }) => sum + Buffer.byteLength(content), 0)
  return `${files.length} ${files.length === 1 ? 'file' : 'files'}, ${bytes} bytes`
}

async function failure(document: string, cause: unknown): Promise<string> {
  if (cause instanceof EmitterError) return printable(cause.message)
  if (cause instanceof ContractError) return contractMessage(document, cause)
  throw cause
}
