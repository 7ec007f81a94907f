import { writeFile } from 'node:fs/promises'
import { stringify } from 'yaml'
import { bundleDocuments, ContractError, loadDocuments, readContract } from '../../contract/index.js'
import { contractMessage, shownSource } from '../contract-message.js'
import { defaultDocumentWords, documentOf, documentWords } from '../document-argument.js'
import { type CommandIo, parseOptions, UsageError } from '../io.js'
import { printableJson } from '../printable.js'

const help = `Usage: concordat bundle [DOC] [--out FILE] [--published] [--allow-remote]

Merges an OpenRPC document and the files that it refers to into one document. References are kept: what is in another
file becomes a component, and references to it begin with #/components/. Methods and servers become inline, because
OpenRPC has no components for them.

  DOC             ${documentWords}
                  (default: ${defaultDocumentWords})

  --out FILE      write to FILE, as YAML if it ends with .yaml or .yml (default: JSON to standard output)
  --published     leave out what concerns the service alone, as rpc.discover does
  --allow-remote  fetch the http and https documents that references name
  --help          show this help

A component is named after the last part of its reference, such as Hash for units.json#/definitions/Hash. If this name
is taken, the name of the file is put in front: unitsHash.

Exit codes: 0 written, 2 could not run.`

const options = {
  out: { type: 'string' },
  published: { type: 'boolean' },
  'allow-remote': { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const

/**
 * Runs `concordat bundle`, which merges the files of a contract into one.
 * @param args the arguments after the command name
 * @param io output and environment
 * @throws UsageError when the arguments or the document are invalid, or the file cannot be written
 */
export async function bundleCommand(args: readonly string[], io: CommandIo): Promise<number> {
  const { values, positionals } = parseOptions(args, { options, allowPositionals: true })
  if (values.help) {
    io.out(help)
    return 0
  }
  const { out } = values
  if (out === '') throw new UsageError('--out needs a file')
  const source = await documentOf(positionals)
  try {
    const documents = await loadDocuments(source, { allowRemote: values['allow-remote'] === true })
    // Reports all problems with their places.
    const contract = readContract(documents)
    const bundled = values.published ? contract.published() : bundleDocuments(documents)
    if (out === undefined) io.out(printableJson(JSON.stringify(bundled, null, 2)))
    else {
      const text = /\.ya?ml$/i.test(out)
        ? stringify(bundled, { lineWidth: 0 })
        : `${JSON.stringify(bundled, null, 2)}\n`
      await write(out, text)
      io.out(`${out}: ${documents.all().length} files of ${shownSource(source)}`)
    }
    return 0
  } catch (cause) {
    if (!(cause instanceof ContractError)) throw cause
    throw new UsageError(await contractMessage(source, cause), { cause })
  }
}

async function write(path: string, text: string): Promise<void> {
  await writeFile(path, text).catch((cause: NodeJS.ErrnoException) => {
    throw new UsageError(`${path}: cannot be written (${cause.code})`, { cause })
  })
}
