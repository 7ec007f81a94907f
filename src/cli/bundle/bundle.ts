import { writeFile } from 'node:fs/promises'
import { stringify } from 'yaml'
import {
  bundleDocuments,
  bundledComponents,
  ContractError,
  loadDocuments,
  publishDocument,
  readContract,
} from '../../toolkit/contract/index.js'
import { printable, printableJson } from '../../toolkit/text/index.js'
import { contractMessage, shownSource } from '../contract-message.js'
import { defineCommand, type InvocationOf, type Program, refuseBeside, texts } from '../define-command.js'
import { allowRemoteOption, documentHelp, documentOf } from '../document-argument.js'
import { UsageError } from '../io.js'

const define = (program: Program) =>
  program
    .argument('[DOC]', documentHelp)
    .option(
      '--out <FILE>',
      'write to FILE, as YAML if it ends with .yaml or .yml (default: JSON to standard output)',
    )
    .option(
      '--name <PLACE=NAME>',
      `the name of the component for an object in another file, such as units.json#/definitions/Hash=BlockHash
      (repeatable; --names lists the places)`,
      texts,
      [],
    )
    .option(
      '--names',
      'list the components that are made of other files, with their places, and write nothing',
      false,
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
  examples: [
    { says: 'write one document to standard output', line: 'concordat bundle openrpc.json' },
    { says: 'to a file', line: 'concordat bundle openrpc.json --out bundled.json' },
  ],
  notes: `A component is named after the last part of its reference, such as Hash for units.json#/definitions/Hash. If
this name is taken, the name of the file is put in front: unitsHash. Types of "concordat generate" get the same names
where two schemas of other files would share one.

Exit codes: 0 written, 2 could not run.`,
  run: bundle,
})

async function bundle({
  args: [document],
  options,
  given,
  io,
}: InvocationOf<typeof define>): Promise<number> {
  refuseBeside('--names', ['--out', '--published'], given)
  const { out, published, allowRemote, names } = options
  const source = await documentOf(document)
  try {
    const documents = await loadDocuments(source, { allowRemote })
    // Reports all problems with their places.
    readContract(documents)
    const chosen = chosenNames(options.name, bundledComponents(documents))
    if (names) {
      for (const { kind, name, place } of bundledComponents(documents, { chosen }))
        io.out(printable(`${kind}/${name}  ${place}`))
      return 0
    }
    const bundled = published ? publishDocument(documents, chosen) : bundleDocuments(documents, { chosen })
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

/**
 * Reads the values of `--name`.
 * @throws UsageError if an entry has no name, or no reference leads to its place
 */
function chosenNames(
  given: readonly string[],
  components: ReturnType<typeof bundledComponents>,
): ReadonlyMap<string, string> {
  const places = components.map(({ place }) => place)
  return new Map(
    given.map((entry) => {
      const at = entry.lastIndexOf('=')
      const [place, name] = [entry.slice(0, at), entry.slice(at + 1)]
      if (at < 1 || name === '')
        throw new UsageError(
          `--name ${entry}: write the place and the name, such as units.json#/Hash=BlockHash`,
        )
      if (!places.includes(place))
        throw new UsageError(`--name ${entry}: no reference leads to ${place}; --names lists the places`)
      return [place, name] as const
    }),
  )
}

async function write(path: string, text: string): Promise<void> {
  await writeFile(path, text).catch((cause: NodeJS.ErrnoException) => {
    throw new UsageError(`${path}: cannot be written (${cause.code})`, { cause })
  })
}
