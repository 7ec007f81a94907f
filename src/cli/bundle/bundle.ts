import { writeFile } from 'node:fs/promises'
import { stringify } from 'yaml'
import { bundleDocuments, ContractError, loadDocuments, readContract } from '../../contract/index.js'
import { contractMessage, shownSource } from '../contract-message.js'
import { defineCommand, type InvocationOf, type Program } from '../define-command.js'
import { allowRemoteOption, documentHelp, documentOf } from '../document-argument.js'
import { UsageError } from '../io.js'
import { printableJson } from '../printable.js'

const define = (program: Program) =>
  program
    .argument('[DOC]', documentHelp)
    .option(
      '--out <FILE>',
      'write to FILE, as YAML if it ends with .yaml or .yml (default: JSON to standard output)',
    )
    .option('--published', 'leave out what concerns the service alone, as rpc.discover does')
    .option(...allowRemoteOption)

/** Runs `concordat bundle`, which merges the files of a contract into one. */
export const bundleCommand = defineCommand({
  name: 'bundle',
  description: `Merges an OpenRPC document and the files that it refers to into one document. References are kept: what
is in another file becomes a component, and references to it begin with #/components/. Methods and servers become
inline, because OpenRPC has no components for them.`,
  define,
  notes: `A component is named after the last part of its reference, such as Hash for units.json#/definitions/Hash. If
this name is taken, the name of the file is put in front: unitsHash.

Exit codes: 0 written, 2 could not run.`,
  run: bundle,
})

async function bundle({ args: [document], options, io }: InvocationOf<typeof define>): Promise<number> {
  const { out, published, allowRemote } = options
  const source = await documentOf(document)
  try {
    const documents = await loadDocuments(source, { allowRemote })
    // Reports all problems with their places.
    const contract = readContract(documents)
    const bundled = published ? contract.published() : bundleDocuments(documents)
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
